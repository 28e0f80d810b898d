"""Text of other tools and web pages, which is not read: messages say what to do."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Never

from pipeline.base.errors import InputError
from pipeline.inputs.traces import file_head
from pipeline.inputs.traces.file_head import Head
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import foreign_json
from pipeline.inputs.traces.formats.promtool_text import NUMBER, first_line
from pipeline.inputs.traces.reading import Reading

_SCRAPED = re.compile(rf"# (?:HELP|TYPE|UNIT) .*|[A-Za-z_:][\w:]*\{{.*\}} {NUMBER}", re.ASCII)
_LINE = re.compile(r"[^\s,=]+(?:,[^\s,=]+=[^\s,=]+)+ [^\s=]+=\S+(?: [0-9]{10,19})?", re.ASCII)
_ANNOTATED = re.compile(r"#(?:group|datatype|default),|,result,table,")


def looks_like(head: Head) -> bool:
    """Whether a text is blank, or of a tool that is not read."""
    return head.is_blank or bool(_words(head.text))


def read(path: Path, _: Reading) -> Never:
    """Raise `InputError`."""
    words = _words(file_head.of(path).text)
    raise InputError(f"{path}: {f'{words}; {SEE}' if words else 'the file contains only blanks'}")


def _words(text: str) -> str:
    """Why the text of a tool is no trace, and what to do; empty for other text."""
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
