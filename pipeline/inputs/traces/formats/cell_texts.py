"""Names in cells and headers: one rule for CSV and Parquet."""

from __future__ import annotations

import re

KNOWN = frozenset({"timestamp", "iteration", "topic", "partition", "rate", "offset"})
"""Columns of the long form."""

_ALSO = {
    **dict.fromkeys(
        (
            "log_end_offset",
            "end_offset",
            "latest_offset",
            "newest_offset",
            "high_watermark",
            "high_water_mark",
            "highwatermark",
        ),
        "offset",
    ),
    "partition_id": "partition",
    "topic_name": "topic",
}
_WHOLE = re.compile(r"\+?([0-9]{1,18})(\.0*)?", re.ASCII)
_NO_PARTITION = re.compile(r"-[0-9]+(\.[0-9]*)?|[0-9]*\.[0-9]+|nan|null|none|<na>", re.IGNORECASE)


def cleaned(text: str) -> str:
    """A text without blanks around it, and without quotes that follow a blank.

    Quotes that do not follow a blank have been taken away by the reader of CSV already.

    >>> cleaned(' "a" '), cleaned("a b")
    ('a', 'a b')
    """
    stripped = text.strip().strip("\u00a0")
    if text[:1].isspace() and len(stripped) > 1 and stripped[0] == stripped[-1] == '"':
        return stripped[1:-1].replace('""', '"').strip()
    return stripped


def column(text: str) -> str:
    """Name of a column; one of `KNOWN` in any case, or another name of one, is that one.

    >>> column(" Partition "), column("LOG-END-OFFSET"), column("Orders/3")
    ('partition', 'offset', 'Orders/3')
    """
    name = cleaned(text)
    plain = re.sub(r"[-\s]+", "_", name.lower())
    if plain in KNOWN:
        return plain
    return _ALSO.get(plain, name)


def partition(text: str) -> str:
    """Name of a partition in long form; numbers are written without zeros before them.

    Raises ValueError if it is a number that is no partition's.

    >>> partition("07"), partition("3.0"), partition("east")
    ('7', '3', 'east')
    """
    name = cleaned(text)
    if match := _WHOLE.fullmatch(name):
        return match[1].lstrip("0") or "0"
    if _NO_PARTITION.fullmatch(name):
        raise ValueError("must be a name or an integer, 0 or more")
    return name
