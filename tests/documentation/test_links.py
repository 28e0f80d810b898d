"""Links of README and changelog, which the site does not have, lead to a file and its heading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.layout import here

pytestmark = pytest.mark.unit

_CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(.+?) *$", re.MULTILINE)


def dead(page: Path) -> Iterator[str]:
    """Relative links of a page without a file, or without a heading of that name."""
    for link in _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8"))):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            yield link


def anchors(page: Path) -> set[str]:
    """Names of the headings, as the site and GitHub derive them."""
    text = re.sub(
        r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL
    )
    heads = (
        _LINK.sub(lambda link: link[0][1:].partition("]")[0], h) for h in _HEADING.findall(text)
    )
    return {re.sub(r"[^\w\- ]", "", head.lower()).strip().replace(" ", "-") for head in heads}


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md"])
def test_links_lead_somewhere(name: str) -> None:
    page = here().root / name
    assert "](" in page.read_text()
    assert list(dead(page)) == []


def test_dead_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# Other\n\n## A `second`, heading\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n\n[a](other.md) [b](other.md#a-second-heading) [c](#page) [d](https://x.org/y)\n"
        "`[e](none.md)` [f](none.md) [g](other.md#none) [h](#none)\n"
    )
    assert list(dead(page)) == ["none.md", "other.md#none", "#none"]
