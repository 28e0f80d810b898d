"""The words of the documentation, and the check of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tools import layout, prose_check

LONG = "Each of these words belongs to one sentence. " + "word " * 41 + "\n"


def remarks(folder: Path, text: str, name: str = "page.md") -> list[tuple[int, str]]:
    page = folder / name
    page.write_text(text)
    return [(remark.line, remark.text) for remark in prose_check.remarks_on(page)]


@pytest.mark.parametrize("words", ["nobody", "Whoever", "what\nthere is", "asked for"])
def test_words_are_reported_with_their_line(tmp_path: Path, words: str) -> None:
    assert remarks(tmp_path, f"# Title\n\nA run that {words} wants.\n") == [
        (3, " ".join(words.split()))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The user `nobody` owns it.\n",
        "See [the page](nobody.md) or <https://example.com/anew>.\n",
        "```sh\ngroupscale told\n```\n",
        "Run:\n\n    groupscale anew\n\nDone.\n",
        "Nobodys and foretold are other words.\n",
    ],
)
def test_code_and_addresses_are_no_prose(tmp_path: Path, text: str) -> None:
    assert remarks(tmp_path, text) == []


def test_long_sentences_are_reported(tmp_path: Path) -> None:
    assert remarks(tmp_path, LONG) == [(1, "41 words: word word word word word word …")]
    assert remarks(tmp_path, LONG, "messages.txt") == []


def test_notebooks_are_read_without_their_code(tmp_path: Path) -> None:
    cells = [("markdown", ["# Title\n", "\n", "See `told`, or told.\n"]), ("code", ["anew = 1"])]
    text = json.dumps({"cells": [{"cell_type": kind, "source": lines} for kind, lines in cells]})
    assert remarks(tmp_path, text, "page.ipynb") == [(3, "told")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>A run\nis told.</p>", ["told"]),
        ("{# told #}<p class='told'>{% if told %}{{ told }}{% endif %}</p>", []),
        ("<style>.told {}</style><script>told()</script>", []),
        (f"<p>{'word ' * 25}</p><p>{'word ' * 25}</p>", []),
        (
            f"<p>{'word ' * 25}<b>{'word ' * 25}</b></p>",
            ["50 words: word word word word word word …"],
        ),
    ],
)
def test_templates_are_read_without_markup(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert [text for _, text in remarks(tmp_path, text, "page.html.j2")] == expected


@pytest.mark.parametrize("cut", [". ", ": ", "\n- ", " | ", "\n\n"])
def test_sentences_end(tmp_path: Path, cut: str) -> None:
    half = "word " * 25
    assert remarks(tmp_path, f"{half.strip()}{cut}{half}\n") == []


def test_a_remark_fails_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "here", lambda: layout.Layout(tmp_path))
    (tmp_path / "README.md").write_text("A run fails.\n")
    assert prose_check.main() == 0
    (tmp_path / "README.md").write_text("A run is told to fail.\n")
    assert prose_check.main() == 1
