"""Checks the words of the documentation, reports and messages: `make check` runs it.

Errors, help and column comments are checked as they occur in the pages and golden files that are
generated from them; of notebooks and templates, only the text is.
"""

from __future__ import annotations

import itertools
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tools import layout

PAGES = (
    "*.md",
    "docs/**/*.md",
    "docs/*.ipynb",
    "pipeline/**/*.html.j2",
    "tests/pipeline/cli/messages.txt",
)
LONGEST = 40
"""Words of a sentence; output of commands has tables and lists instead."""

BETTER = {
    r"whoever|nobody|anybody|somebody": "name who it is, or use the passive voice",
    r"told|tells of|tell of": "reported, logged, or set",
    r"anew": "again",
    r"beside": "next to, or compared with",
    r"what there is|of itself|but for|for nothing": "say it in plain words",
    r"whole numbers?": "integer",
    r"asks? for|asked for": "requires, requests, or needs",
    r"gives? up|is at work|stumbles?": "fails, stops, or runs",
    r"likewise": "also, or repeat the words",
    r"goes well|went well|ends well": "succeeds",
    r"utilize[sd]?|leverage[sd]?|in order to|please|simply": "leave it out",
}
"""What not to write, as regular expressions of whole words, and what to write instead."""

_NOT_PROSE = re.compile(
    r"^(```|~~~).*?^\1[^\n]*$"  # fenced code
    r"|(?<=\n\n)(?: {4}[^\n]*\n+)+"  # indented code
    r"|`[^`\n]+`|\]\([^)\n]*\)|<[^>\n]+>|https?://\S+",
    re.MULTILINE | re.DOTALL,
)
_MARKUP = re.compile(
    r"\{[%#].*?[%#]\}|<(script|style)\b.*?</\1>|</?(?:a|b|code|em|i)\b[^>]*>", re.DOTALL
)
_VALUE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_TAG = re.compile(r"<[^>]+>")
_SENTENCE_END = re.compile(r"[.!?:;](?=\s)|\n\s*\n|\n\s*(?=[-*#|>]|\d+\. )|\|")


class Remark(NamedTuple):
    """Where a text can be better, and how."""

    line: int
    text: str
    better: str


def main() -> int:
    """Print all remarks, and return 1 if there are any."""
    root = layout.here().root
    pages = sorted({page for pattern in PAGES for page in root.glob(pattern)})
    remarks = [(page.relative_to(root), remark) for page in pages for remark in remarks_on(page)]
    for page, remark in remarks:
        sys.stdout.write(f"{page}:{remark.line}: {remark.text} -> {remark.better}\n")
    return 1 if remarks else 0


def remarks_on(page: Path) -> Iterator[Remark]:
    """Remarks on a page, a notebook or a template, or on the words of recorded output."""
    text = page.read_text()
    if page.suffix == ".txt":
        return words_to_replace(text)
    prose = _READERS[page.suffix](text)
    return itertools.chain(words_to_replace(prose), long_sentences(prose))


def _of_page(text: str) -> str:
    """Markdown without code and addresses."""
    return _NOT_PROSE.sub(_blank, text)


def _of_notebook(text: str) -> str:
    """The cells in Markdown; lines are counted in them."""
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
    return _of_page("\n\n".join("".join(cell["source"]) for cell in cells))


def _of_template(text: str) -> str:
    """The text of a page; elements end a sentence, except those within a line of text."""
    shown = _VALUE.sub(lambda value: "x" + _blank(value)[1:], _MARKUP.sub(_blank, text))
    return _TAG.sub(lambda tag: "|" + _blank(tag)[1:], shown)


_READERS = {".md": _of_page, ".ipynb": _of_notebook, ".j2": _of_template}


def words_to_replace(prose: str) -> Iterator[Remark]:
    """Words with a better one."""
    for words, better in BETTER.items():
        pattern = words.replace(" ", r"\s+")
        for match in re.finditer(rf"\b({pattern})\b", prose, re.IGNORECASE):
            yield Remark(_line(prose, match.start()), " ".join(match[0].split()), better)


def long_sentences(prose: str) -> Iterator[Remark]:
    """Sentences, list items and cells of tables that are too long."""
    begin = 0
    for end in [*(match.end() for match in _SENTENCE_END.finditer(prose)), len(prose)]:
        words = re.findall(r"[\w'’-]+", prose[begin:end])
        if len(words) > LONGEST:
            start = begin + len(prose[begin:end]) - len(prose[begin:end].lstrip())
            opening = " ".join(words[:6])
            yield Remark(_line(prose, start), f"{len(words)} words: {opening} …", "two sentences")
        begin = end


def _blank(match: re.Match[str]) -> str:
    """The same length and lines without words."""
    return re.sub(r"[^\n]", " ", match[0])


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


if __name__ == "__main__":
    sys.exit(main())
