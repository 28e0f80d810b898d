"""Detects the format of a file. Readers are imported when needed: most of them import Arrow."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_JSON_BYTES, MAX_TRACE_BYTES
from pipeline.base.text.quoting import shown
from pipeline.inputs.traces import epochs, files
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import csv_header
from pipeline.inputs.traces.model import Trace

Reader = Callable[[Path], Trace]

_BOM = b"\xef\xbb\xbf"
_PARQUET, _GZIP, _ZIP, _ZSTD = b"PAR1", b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"
_SHEETS = (".xlsx", ".xlsm", ".xlsb", ".ods")
_IN_SHEETS = (b"[Content_Types].xml", b"docProps/", b"opendocument.spreadsheet")
"""Names of spreadsheets, and of what is in the archive that they are."""
_HEAD = 4096
_LOGGED = re.compile(rb"\[[^\[\]{}\"\n]*\][ :]+[A-Za-z(]")
"""A line of a log, which is no JSON though it begins with a bracket."""
VALUES = ("rates", "offsets")
"""What the numbers of a file can be."""


def detect(path: Path, values: str | None = None, timestamps: str | None = None) -> Reader:
    """Find the function that reads a file.

    The first bytes take precedence over the ending: Parquet has a magic number, JSON begins with
    a bracket. Everything else is text: an export of Grafana by its first column, CSV by its header,
    and snapshots of Kafka's tools by any of their lines, since other lines may come first.

    Parameters
    ----------
    values, timestamps
        As in `pipeline.inputs.traces.load`.

    Raises
    ------
    InputError
        If the file is missing, unreadable, empty, too large or compressed, its content
        contradicts its ending, or its form fixes what ``values`` or ``timestamps`` set.
    """
    _check_kinds(path, values, timestamps)
    files.check(path, MAX_TRACE_BYTES)
    with path.open("rb") as file:
        head = file.read(_HEAD).removeprefix(_BOM)
    ending = path.suffix.lower()
    _refuse_archives(path, head, ending)
    text = head.lstrip()
    if head.startswith(_PARQUET):
        from pipeline.inputs.traces.formats import parquet

        return partial(parquet.read, values=values, timestamps=timestamps)
    if ending in (".parquet", ".pq"):
        raise InputError(f"{path}: not a Parquet file despite its name")
    from pipeline.inputs.traces.formats import promtool_text

    if promtool_text.looks_like(text.decode("utf-8", "replace")):
        _refuse_option(path, "--timestamps", timestamps, "text of promtool")
        return partial(promtool_text.read, values=values)
    if ending == ".json" or (text.startswith((b"[", b"{")) and not _LOGGED.match(text)):
        files.check(path, MAX_JSON_BYTES)
        _refuse_option(path, "--timestamps", timestamps, "JSON, whose times are seconds")
        from pipeline.inputs.traces.formats import json_forms

        return partial(json_forms.read, values=values)
    if not text and len(head) < _HEAD:
        raise InputError(f"{path}: the file contains only blanks")
    return _of_text(path, text, values, timestamps)


def _check_kinds(path: Path, values: str | None, timestamps: str | None) -> None:
    if values not in (None, *VALUES):
        raise InputError(f"--values must be rates or offsets (got {shown(values)})")
    if timestamps not in (None, *epochs.UNITS):
        raise InputError(f"--timestamps must be s, ms, us or ns (got {shown(timestamps)})")


def _refuse_option(path: Path, option: str, kind: str | None, form: str) -> None:
    if kind is not None:
        raise InputError(f"{path}: {option} does not apply to {form}; remove it; {SEE}")


def _refuse_archives(path: Path, head: bytes, ending: str) -> None:
    if head.startswith(_ZIP) and (ending in _SHEETS or any(part in head for part in _IN_SHEETS)):
        raise InputError(
            f"{path}: is a spreadsheet; save it as CSV with columns {csv_header.nearest(())}; {SEE}"
        )
    if head.startswith((_GZIP, _ZIP, _ZSTD)):
        raise InputError(f"{path}: the file is compressed; decompress it")


def _of_text(path: Path, head: bytes, values: str | None, timestamps: str | None) -> Reader:
    """Reader of a text file that is no JSON."""
    from pipeline.inputs.traces.formats import grafana_csv, offset_snapshots, promtool_text

    text = head.decode("utf-8", "replace")
    if grafana_csv.looks_like(text):
        return partial(grafana_csv.read, values=values, timestamps=timestamps)
    if refusal := promtool_text.refusal(text):
        raise InputError(f"{path}: {refusal}; {SEE}")
    if offset_snapshots.looks_like(text):
        return _of_snapshots(path, values, timestamps)
    try:
        is_long = csv_header.read(path).is_long
    except InputError:
        # Anything may stand before the first snapshot, such as the warnings of a night.
        if offset_snapshots.within(path):
            return _of_snapshots(path, values, timestamps)
        raise
    if is_long:
        from pipeline.inputs.traces.formats import long_csv

        return partial(long_csv.read, values=values, timestamps=timestamps)
    from pipeline.inputs.traces.formats import wide_csv

    return partial(wide_csv.read, values=values, timestamps=timestamps)


def _of_snapshots(path: Path, values: str | None, timestamps: str | None) -> Reader:
    from pipeline.inputs.traces.formats import offset_snapshots

    if values == "rates":
        _refuse_option(path, "--values", values, "snapshots, which hold offsets")
    return partial(offset_snapshots.read, timestamps=timestamps)
