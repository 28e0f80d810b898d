"""Files of other tools, which are not read: messages say what to do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Never

from pipeline.base.errors import InputError
from pipeline.inputs.traces import file_head
from pipeline.inputs.traces.file_head import ZIP, Head
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import csv_header, foreign_json
from pipeline.inputs.traces.formats.promtool_text import NUMBER, first_line
from pipeline.inputs.traces.reading import Reading

_SHEETS = (".xlsx", ".xlsm", ".xlsb", ".ods")
_IN_SHEETS = (b"[Content_Types].xml", b"docProps/", b"opendocument.spreadsheet")
"""Names of spreadsheets, and of what is in the archive that they are."""
_SCRAPED = re.compile(rf"# (?:HELP|TYPE|UNIT) .*|[A-Za-z_:][\w:]*\{{.*\}} {NUMBER}", re.ASCII)
_LINE = re.compile(r"[^\s,=]+(?:,[^\s,=]+=[^\s,=]+)+ [^\s=]+=\S+(?: [0-9]{10,19})?", re.ASCII)
_ANNOTATED = re.compile(r"#(?:group|datatype|default),|,result,table,")


def looks_like(head: Head) -> bool:
    """Whether a file is of a tool whose files are not read, or nothing but blanks."""
    return bool(_words(head))


def read(path: Path, _: Reading) -> Never:
    """Raise `InputError`."""
    raise InputError(f"{path}: {_words(file_head.of(path))}")


def _words(head: Head) -> str:
    """Why a file is no trace, and what to do; empty for other files."""
    is_sheet = head.ending in _SHEETS or any(part in head.data for part in _IN_SHEETS)
    if head.data.startswith(ZIP) and is_sheet:
        return f"is a spreadsheet; save it as CSV with columns {csv_header.nearest(())}; {SEE}"
    if head.is_compressed:
        return "the file is compressed; decompress it"
    if head.is_blank:
        return "the file contains only blanks"
    words = _of_text(head.text)
    return f"{words}; {SEE}" if words else ""


def _of_text(text: str) -> str:
    first = first_line(text)
    if _ANNOTATED.match(first):
        return (
            "is annotated CSV of InfluxDB; write a CSV with columns timestamp, topic, partition, "
            "and rate or offset, in place of _time, the tags and _value, without lines that begin "
            "with #"
        )
    if _SCRAPED.fullmatch(first):
        return (
            "is one scrape of an exporter, which has no rates; ask Prometheus for a range of time"
        )
    if _LINE.fullmatch(first):
        return (
            "is InfluxDB's line protocol; write a CSV with columns timestamp, topic, partition, "
            "and rate or offset"
        )
    return foreign_json.page(text)
