"""Small files that stand for much: refused before they take memory."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.inputs.traces import load
from tests.pipeline.inputs.traces import parquet_bytes
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit

LONG = "x" * 1001
MOST_GROWTH = 300
"""Megabytes that reading may take; imports are not counted."""


def peak(*files: Path) -> float:
    """Megabytes that a process takes at most, beyond its imports, while it reads files."""
    code = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "import pyarrow.parquet\n"
        "from pipeline.base.errors import InputError\n"
        "from pipeline.inputs.traces import load\n"
        "def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024\n"
        "before = most()\n"
        "for name in sys.argv[1:]:\n"
        "    try:\n"
        "        load(Path(name))\n"
        "    except InputError as error:\n"
        "        print(error)\n"
        "    else:\n"
        "        print('was read')\n"
        "print(most() - before)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, files)],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    *said, grown = done.stdout.splitlines()
    assert len(said) == len(files)
    assert "was read" not in said
    return float(grown)


def repeated(rows: int, name: str) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([name]))


def write(file: Path, table: dict[str, Any], **options: Any) -> Path:
    pq.write_table(pa.table(table), file, **options)
    return file


@pytest.mark.slow
def test_a_name_that_is_repeated_is_in_memory_once(tmp_path: Path) -> None:
    """As plain texts these 20,000 names of 500 kB would be 10 GB."""
    n, long = 20_000, "x" * 500_000
    column = {"iteration": np.arange(n), "rate": np.ones(n)}
    files = [
        write(
            tmp_path / f"{stored}.parquet",
            {**column, "partition": repeated(n, long)},
            compression="zstd",
            store_schema=stored,
        )
        for stored in (True, False)
    ]
    texts = {"timestamp": repeated(n, long), "partition": ["a"] * n, "rate": np.ones(n)}
    files.append(write(tmp_path / "time.parquet", texts, compression="zstd", store_schema=False))
    # Pages of nothing but zeros, which say that they are small.
    lying = tmp_path / "lying.parquet"
    lying.write_bytes(parquet_bytes.of_zeros(said=100, real=2_000_000_000))
    files.append(lying)
    assert max(file.stat().st_size for file in files) < 1_000_000
    assert peak(*files) < MOST_GROWTH


def test_sizes_are_compared_before_anything_is_read(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    file.write_bytes(parquet_bytes.of_zeros(said=10**9, real=10))
    with pytest.raises(InputError, match=r"2,147.* bytes uncompressed .*3,000,000,000"):
        load(file)
    file.write_bytes(parquet_bytes.of_zeros(said=100, real=65 * 1024**2))
    with pytest.raises(InputError, match="page of 68,157,440"):
        load(file)
    file.write_bytes(parquet_bytes.of_zeros(said=-1, real=10))
    with pytest.raises(InputError, match="not readable as Parquet"):
        load(file)


@pytest.mark.parametrize("name", [LONG, "é" * 1001])
def test_long_names_are_refused_in_every_format(tmp_path: Path, name: str) -> None:
    words = r"can have at most 1,000 characters (got 1,001)"
    assert refusal(tmp_path, f"iteration,a,{name}\n1,1,1\n").startswith(
        f":1: the name of column 3 {words}"
    )
    long = f"iteration,partition,rate\n1,a,1\n1,{name},1\n"
    assert refusal(tmp_path, long).startswith(f":3: partition {words}")
    columns = {"iteration": [1, 1], "partition": ["a", name], "rate": [1.0, 1.0]}
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    with pytest.raises(InputError, match=re.escape(f"row 2: partition {words}")):
        load(tmp_path / "t.parquet")


def test_long_names_of_topics_are_refused(tmp_path: Path) -> None:
    words = "the name of a partition can have at most 1,000 characters (got 1,001)"
    for topic, partition in (("t" * 500, "p" * 500), ("t" * 999, "0"), ("", "p" * 1000)):
        text = json.dumps([{"t": {"0": 1}}, {topic: {"a": 1, partition: 1}}])
        assert refusal(tmp_path, text).startswith(f": measurement 2, topic 1: {words}")
    assert loaded(tmp_path, json.dumps([{"t" * 499: {"p" * 500: 1}}]))


def test_names_of_a_thousand_characters_are_read(tmp_path: Path) -> None:
    name = "x" * 1000
    columns = {"iteration": [1], "partition": [name], "rate": [1.0]}
    assert load(write(tmp_path / "t.parquet", columns)).partitions == (name,)
    assert loaded(tmp_path, f"iteration,{name}\n1,1\n").partitions == (name,)
    assert loaded(tmp_path, f"iteration,partition,rate\n1,{name},1\n").partitions == (name,)


@pytest.mark.parametrize("depth", [1, 1_000, 90_000])
def test_deep_nesting_is_refused(tmp_path: Path, depth: int) -> None:
    """Arrow's parser is recursive: the deepest of these ended the process."""
    message = refusal(tmp_path, parquet_bytes.nested(depth), "t.parquet")
    assert "not readable as Parquet" in message or "has no rows" in message


def test_a_long_footer_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.inputs.traces.formats.parquet_file.MAX_PARQUET_FOOTER", 10_000)
    columns = {"iteration": [1], "partition": ["a"], "rate": [1.0]}
    metadata = pa.table(columns).replace_schema_metadata({"x": LONG * 20})
    pq.write_table(metadata, tmp_path / "t.parquet")
    with pytest.raises(InputError, match=r"footer .*10,000 bytes .*\d\d,\d\d\d"):
        load(tmp_path / "t.parquet")


def test_many_row_groups_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"iteration": np.arange(20), "partition": ["a"] * 20, "rate": np.ones(20)}
    file = write(tmp_path / "t.parquet", columns, row_group_size=1)
    assert load(file).partitions == ("a",)
    monkeypatch.setattr("pipeline.inputs.traces.formats.parquet_file.MAX_PARQUET_PARTS", 19)
    with pytest.raises(InputError, match="more than 19 row groups or columns"):
        load(file)


def test_many_rows_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    columns = {"iteration": [1, 2], "partition": ["a", "a"], "rate": [1.0, 1.0]}
    file = write(tmp_path / "t.parquet", columns)
    monkeypatch.setattr("pipeline.inputs.traces.formats.parquet_file.MAX_RATES", 1)
    with pytest.raises(InputError, match=r"at most 1 rows \(got 2\)"):
        load(file)
    assert limits.MAX_RATES > 1


def test_row_groups_with_other_rows_than_the_file_are_refused(tmp_path: Path) -> None:
    # The rows of the whole file come right before the list of its row groups.
    data = parquet_bytes.of_zeros(said=100, real=100)
    wrong = data.replace(bytes([0x16, 2, 0x19, 0xFC, 1]), bytes([0x16, 40, 0x19, 0xFC, 1]))
    assert wrong != data
    assert "damaged" in refusal(tmp_path, wrong, "t.parquet")


@pytest.mark.parametrize("codec", ["zstd", "gzip", "snappy", "brotli", "lz4"])
def test_every_compression_is_read(tmp_path: Path, codec: str) -> None:
    columns = {"iteration": [1], "partition": ["a"], "rate": [1.0]}
    assert load(write(tmp_path / "t.parquet", columns, compression=codec)).partitions == ("a",)
