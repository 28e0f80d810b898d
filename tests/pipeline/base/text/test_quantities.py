"""Amounts with units."""

from __future__ import annotations

import pytest

from pipeline.base.text.quantities import amount

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2000000", 2e6),
        ("2e6", 2e6),
        (" 2.5 ", 2.5),
        ("-1", -1),
        ("2MB", 2e6),
        ("2 MB/s", 2e6),
        ("2M", 2e6),
        ("1.5MiB/s", 1.5 * 2**20),
        ("1Ki", 1024),
        ("750k/s", 750e3),
        ("750K/s", 750e3),
        ("3GB", 3e9),
        ("1TB", 1e12),
        ("10 msg/s", 10),
        ("1k msgs/s", 1000),
        ("5 kB", 5000),
    ],
)
def test_amounts(text: str, number: float) -> None:
    assert amount(text) == number


@pytest.mark.parametrize(
    "text", ["", "MB", "2Mb", "2mb", "2 bits", "nan", "inf", "1e999", "2MB/h", "2,5", "0x10",
             "2KKB", "1_000", "2m", "٣"]
)  # fmt: skip
def test_texts_that_are_no_amounts(text: str) -> None:
    with pytest.raises(ValueError, match="2MB"):
        amount(text)
