"""The format of Java's properties."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.login import properties_file
from live.login.properties_file import Property
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit


def read(tmp_path: Path, text: str) -> list[tuple[int, str, str]]:
    file = tmp_path / "client.properties"
    file.write_text(text, encoding="utf-8", newline="")
    return [(row.line, row.key, row.value) for row in properties_file.properties(file)]


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("a.b=c", "a.b", "c"),
        ("a.b = c", "a.b", "c"),
        ("a.b:c", "a.b", "c"),
        ("a.b c d", "a.b", "c d"),
        ("  \ta.b=c", "a.b", "c"),
        ("a.b==c", "a.b", "=c"),
        ("a.b=c ", "a.b", "c "),
        ("a.b", "a.b", ""),
        ("a\\=b=c", "a=b", "c"),
        ("a\\ b=c", "a b", "c"),
        ("a=\\u00e4\\tb\\\\c\\d", "a", "ä\tb\\cd"),
        ("a=C:\\\\dir\\\\u1", "a", "C:\\dir\\u1"),
        ("a=#1!", "a", "#1!"),
        ("a=ä", "a", "ä"),
    ],
)
def test_a_line(tmp_path: Path, text: str, key: str, value: str) -> None:
    assert read(tmp_path, text) == [(1, key, value)]


def test_comments_blank_lines_and_all_kinds_of_line_ends(tmp_path: Path) -> None:
    text = "# one=1\r\n! two=2\n\n \t\nthree=3\rfour=4\r\n"
    assert read(tmp_path, text) == [(5, "three", "3"), (6, "four", "4")]


def test_a_backslash_continues_a_line(tmp_path: Path) -> None:
    text = "a=1\\\n   2\\\n# 3\nb=x\\\\\nc=\\\n\\\n  y\nd=end\\"
    assert read(tmp_path, text) == [
        (1, "a", "12# 3"),
        (4, "b", "x\\"),
        (5, "c", "y"),
        (8, "d", "end"),
    ]


@pytest.mark.parametrize("text", ["x=1\na=\\u12g4", "x=1\nk\\u=1"])
def test_an_escape_that_is_cut_short(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"properties:2: \\u must be followed by four"):
        read(tmp_path, text)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="none: "):
        properties_file.properties(tmp_path / "none")
    with pytest.raises(InputError, match="is a folder"):
        properties_file.properties(tmp_path)
    (tmp_path / "latin").write_bytes(b"a=1\nb=\xe4")
    with pytest.raises(InputError, match="latin:2: "):
        properties_file.properties(tmp_path / "latin")


def test_a_value_is_not_part_of_the_text() -> None:
    assert repr(Property(3, "sasl.password", "s3cret")) == ("Property(line=3, key='sasl.password')")
    assert "s3cret" not in f"{[Property(3, 'sasl.password', 's3cret')]}"


@pytest.mark.parametrize("text", ["\\u0000", "\0", "a\\u0000b"])
def test_no_setting_has_a_nul(tmp_path: Path, text: str) -> None:
    for line in (f"ssl.ca.location={text}", f"{text}=1"):
        with pytest.raises(
            InputError, match=r"properties:2: must not contain the character \\u0000"
        ):
            read(tmp_path, f"a=1\n{line}")


def test_halves_of_a_character_are_joined_and_none_stands_alone(tmp_path: Path) -> None:
    assert read(tmp_path, "a=\\ud83d\\ude00") == [(1, "a", "😀")]
    with pytest.raises(InputError, match=r"properties:1: \\ud800 to \\udfff must be in pairs"):
        read(tmp_path, "a=\\ud83d")
