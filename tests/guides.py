"""Examples that pages of the documentation give, for tests that run them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from typing import NamedTuple

from tools.layout import here

GENERATED = tuple(
    f"docs/{name}.md"
    for name in ("command-line", "data-dictionary", "settings", "stages", "live-faults")
)
_BLOCK = re.compile(
    r"^(?P<fence>```)(?P<language>\w*)\n(?P<fenced>.*?)^```"
    r"|(?<=\n\n)(?P<indented>(?: {4}[^\n]*\n|\n(?= {4}))+)",
    re.MULTILINE | re.DOTALL,
)
_INLINE = re.compile(r"(?<!`)`((?:\.venv/bin/)?groupscale [a-z][^`]*|make [a-z][^`]*)`")


class Example(NamedTuple):
    """A block of code."""

    page: str
    line: int
    language: str
    code: str


def python(page: str) -> str:
    """The first example in Python on a page below ``docs/``."""
    return next(e.code for e in examples() if e.page == f"docs/{page}" and e.language == "python")


def examples() -> list[Example]:
    """All blocks of code of the README and of the pages that people write."""
    root = here().root
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    names = [str(page.relative_to(root)) for page in pages]
    return [
        Example(
            page=name,
            line=text.count("\n", 0, match.start()) + 1,
            language=match["language"] or "",
            code=match["fenced"] or re.sub("^ {4}", "", match["indented"], flags=re.MULTILINE),
        )
        for name in names
        if name not in GENERATED
        for text in [(root / name).read_text(encoding="utf-8")]
        for match in _BLOCK.finditer(text)
    ]


def inline() -> list[Example]:
    """Commands that stand in the text, such as in the tables of the runbook."""
    root = here().root
    return [
        Example(name, text.count("\n", 0, match.start()) + 1, "", " ".join(match[1].split()))
        for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]
        for name in [str(page.relative_to(root))]
        if name not in GENERATED
        # Blocks of code become empty lines, so that their backticks are not those of the text.
        for text in [_BLOCK.sub(lambda block: "\n" * block[0].count("\n"), page.read_text("utf-8"))]
        for match in _INLINE.finditer(text)
    ]


def block(page: str, start: str) -> str:
    """The one block of a page that begins so."""
    (code,) = (e.code for e in examples() if e.page == page and e.code.startswith(start))
    return code


def commands(example: Example) -> list[list[str]]:
    """The words of each command of an example for a shell, without prompts, pipes and files.

    What a command prints, and lines of other programs, are left out.
    """
    return [words for _, words in _statements(example) if words]


def other_lines(example: Example) -> str:
    """The lines of an example that `commands` leaves out, except comments.

    Where commands have a prompt, the other lines are what they print, which is left out as well.
    """
    rest = [text for text, words in _statements(example) if not words]
    if any(line.startswith("$ ") for line in example.code.splitlines()):
        rest = [text for text in rest if text.startswith("$ ")]
    return "".join(text for text in rest if text.strip() and not text.startswith("#"))


def _statements(example: Example) -> Iterator[tuple[str, list[str]]]:
    """The lines of each statement, and its words if it is one of our commands."""
    text = ""
    for line in example.code.splitlines(keepends=True):
        text += line
        if line.endswith("\\\n"):
            continue
        try:
            words = shlex.split(text.removeprefix("$ ").replace("\\\n", "\n"), comments=True)
        except ValueError:  # a quote that ends on a later line
            continue
        if words and re.fullmatch(r"(\S*/)?groupscale|make", words[0]):
            end = next((i for i, word in enumerate(words) if word in "|<>"), len(words))
            yield text, words[:end]
        else:
            yield text, []
        text = ""
    if text:
        yield text, []
