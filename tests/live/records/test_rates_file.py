"""Files of rates."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from live.records import rates_file
from pipeline.base.errors import StageError

pytestmark = pytest.mark.unit


def test_rates_are_read_as_they_were_written(tmp_path: Path) -> None:
    file, rates = tmp_path / "rates.bin", [[1.5, 0.1, 1e300], [0.0, 2.0, 3.0]]
    rates_file.write(file, rates)
    assert file.read_bytes() == struct.pack("<6d", *rates[0], *rates[1])
    assert [list(row) for row in rates_file.read(file, 2, 3)] == rates


def test_a_file_of_another_shape_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rates.bin"
    rates_file.write(file, [[1.0, 2.0]])
    with pytest.raises(StageError, match=r"2 iterations × 2 partitions × 8 bytes \(got 16 bytes\)"):
        rates_file.read(file, 2, 2)
