"""Detects the format of a file. Readers are imported when needed: most of them import Arrow."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from pipeline.errors import InputError
from pipeline.limits import MAX_JSON_BYTES, MAX_TRACE_BYTES
from pipeline.traces import csv_header, files
from pipeline.traces.model import Trace

Reader = Callable[[Path], Trace]

_BOM = b"\xef\xbb\xbf"
_PARQUET, _GZIP, _ZIP, _ZSTD = b"PAR1", b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"
_SHEETS = (".xlsx", ".xlsm", ".xlsb", ".ods")
_IN_SHEETS = (b"[Content_Types].xml", b"docProps/", b"opendocument.spreadsheet")
"""Names of spreadsheets, and of what is in the archive that they are."""
_HEAD = 4096
_SCRAPE = (b"# HELP ", b"# TYPE ")


def detect(path: Path, values: str | None = None, timestamps: str | None = None) -> Reader:
    """Find the function that reads a file.

    The first bytes take precedence over the ending: Parquet has a magic number, JSON begins with
    a bracket. Everything else is text: an export of Grafana by its first column, snapshots of
    Kafka's tools by their lines, and otherwise CSV, long or wide by its header.

    Parameters
    ----------
    values
        ``rates`` or ``offsets``, for the forms of Prometheus and Grafana; None to recognise them.

    Raises
    ------
    InputError
        If the file is missing, unreadable, empty, too large or compressed, its content
        contradicts its ending, or its form fixes what ``values`` sets.
    """
    files.check(path, MAX_TRACE_BYTES)
    with path.open("rb") as file:
        head = file.read(_HEAD).removeprefix(_BOM)
    ending = path.suffix.lower()
    if head.startswith(_ZIP) and (ending in _SHEETS or any(part in head for part in _IN_SHEETS)):
        raise InputError(
            f"{path}: is a spreadsheet; save it as CSV with columns "
            f"{csv_header.nearest(())}; see docs/traces.md"
        )
    if head.startswith((_GZIP, _ZIP, _ZSTD)):
        raise InputError(f"{path}: the file is compressed; decompress it")
    text = head.lstrip()
    if not head.startswith(_PARQUET):
        if ending in (".parquet", ".pq"):
            raise InputError(f"{path}: not a Parquet file despite its name")
        if text.startswith((b"[", b"{")) or ending == ".json":
            files.check(path, MAX_JSON_BYTES)
            from pipeline.traces import json_forms

            return partial(json_forms.read, values=values)
        from pipeline.traces import grafana_csv

        if grafana_csv.looks_like(text.decode("utf-8", "replace")):
            return partial(grafana_csv.read, values=values)
    if values is not None:
        raise InputError(
            f"{path}: --values only applies to files of Prometheus and Grafana; remove it; "
            "see docs/traces.md"
        )
    return _of_fixed_values(path, head, text)


def _of_fixed_values(path: Path, head: bytes, text: bytes) -> Reader:
    """Reader of a form that says whether it has rates or offsets."""
    if head.startswith(_PARQUET):
        from pipeline.traces import parquet

        return parquet.read
    if not text and len(head) < _HEAD:
        raise InputError(f"{path}: the file contains only blanks")
    if text.startswith(_SCRAPE):
        raise InputError(
            f"{path}: is one scrape of an exporter, which has no rates; ask Prometheus for a range "
            "of time; see docs/traces.md"
        )
    from pipeline.traces import offset_snapshots

    if offset_snapshots.looks_like(head.decode("utf-8", "replace")):
        return offset_snapshots.read
    if csv_header.read(path).is_long:
        from pipeline.traces import long_csv

        return long_csv.read
    from pipeline.traces import wide_csv

    return wide_csv.read
