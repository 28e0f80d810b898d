"""Detects the format of a file. Readers are imported when needed: most of them import Arrow."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pipeline.errors import InputError
from pipeline.limits import MAX_JSON_BYTES, MAX_TRACE_BYTES
from pipeline.traces import csv_header, files
from pipeline.traces.model import Trace

Reader = Callable[[Path], Trace]

_BOM = b"\xef\xbb\xbf"
_PARQUET, _GZIP, _ZIP, _ZSTD = b"PAR1", b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"
_HEAD = 4096


def detect(path: Path) -> Reader:
    """Find the function that reads a file.

    The first bytes take precedence over the ending: Parquet has a magic number, JSON begins with
    a bracket. Everything else is CSV, long or wide by its header.

    Raises
    ------
    InputError
        If the file is missing, unreadable, empty, too large or compressed, or its content
        contradicts its ending.
    """
    files.check(path, MAX_TRACE_BYTES)
    with path.open("rb") as file:
        head = file.read(_HEAD).removeprefix(_BOM)
    if head.startswith((_GZIP, _ZIP, _ZSTD)):
        raise InputError(f"{path}: the file is compressed; decompress it")
    ending = path.suffix.lower()
    text = head.lstrip()
    if head.startswith(_PARQUET):
        from pipeline.traces import parquet

        return parquet.read
    if ending in (".parquet", ".pq"):
        raise InputError(f"{path}: not a Parquet file, in spite of its name")
    if text.startswith((b"[", b"{")) or ending == ".json":
        files.check(path, MAX_JSON_BYTES)
        from pipeline.traces import recorded_json

        return recorded_json.read
    if not text and len(head) < _HEAD:
        raise InputError(f"{path}: the file contains only blanks")
    if csv_header.read(path).is_long:
        from pipeline.traces import long_csv

        return long_csv.read
    from pipeline.traces import wide_csv

    return wide_csv.read
