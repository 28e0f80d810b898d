"""Files that are not text and not read, such as spreadsheets: messages say what to do."""

from __future__ import annotations

from pathlib import Path
from typing import Never

from pipeline.base.errors import InputError
from pipeline.inputs.traces import file_head
from pipeline.inputs.traces.file_head import Head
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import csv_header
from pipeline.inputs.traces.reading import Reading

_GZIP, _ZIP, _ZSTD = b"\x1f\x8b", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"
_SHEETS = (".xlsx", ".xlsm", ".xlsb", ".ods")
_IN_SHEETS = (b"[Content_Types].xml", b"docProps/", b"opendocument.spreadsheet")
"""Names of spreadsheets, and of what is in the archive that they are."""


def looks_like(head: Head) -> bool:
    """Whether a file is compressed, or no Parquet though its name says so."""
    return _is_compressed(head) or (head.ending in (".parquet", ".pq") and not head.is_parquet)


def read(path: Path, _: Reading) -> Never:
    """Raise `InputError`."""
    head = file_head.of(path)
    is_sheet = head.ending in _SHEETS or any(part in head.data for part in _IN_SHEETS)
    if head.data.startswith(_ZIP) and is_sheet:
        raise InputError(
            f"{path}: is a spreadsheet; save it as CSV with columns {csv_header.nearest(())}; {SEE}"
        )
    if _is_compressed(head):
        raise InputError(f"{path}: the file is compressed; decompress it")
    raise InputError(f"{path}: not a Parquet file despite its name")


def _is_compressed(head: Head) -> bool:
    return head.data.startswith((_GZIP, _ZIP, _ZSTD))
