"""Texts that one or the other version of YAML reads as something else, unless they are quoted."""

from __future__ import annotations

from collections.abc import Iterator

_NUMBERS = """
0 -0 +0 00 08 09 010 0777 0o17 0O17 0x1f 0X1F 0xdeadbeef 0b101 0B1 -0x1 +0b1 1 -1 +1 12 1_000 1_0 _1
1e3 12e4 18371e12 1E5 1e+5 1e-5 1.0e3 1.e3 1_0e3 1.5 .5 +.5 -.5 5. 1. 1__0 1_ 0_ 0.0 1.2.3 1,000
.inf -.inf +.inf .Inf .INF .nan .NaN .NAN inf -inf nan NaN Infinity 1:30 190:20:30 1:30.5 -1:30
08:00 0o 0x 0xg 0b2 1e 1e+ e3 E5 . - + -. +. .e3 ._5 1.5e+ 4e0 9e99 1e400
123456789012345678901234567890
"""
_WORDS = """
y Y n N yes Yes YES no No NO on On ON off Off OFF true True TRUE false False FALSE tRuE yEs
null Null NULL ~ nil none None void
"""
_TIMES = """
2026-01-01 2026-1-1 2001-12-14t21:59:43.10-05:00 2026-01-01T00:00:00Z 20260101 12:30:45 2026-13-45
"""
_MARKS = """
= << <<: - -- --- --- ... ? : , [ ] { } # & * ! | > ' " % @ ` -a ?a :a a: a:b #a a# &a *a !a !!str
|a >a %YAML @a `a [a] {a} [] {} "a" 'a' 'a "a a' a" it's \\ \\n a\\b - ? $ $(POD) ${X}
// ./a ../a a/b a.b
"""
_SPACED = (
    *("", " ", "  ", " a", "a ", "a b", "a: b", "a #b", "a # b", "- a", "? a", "a,b", "k: v, w: x"),
    *(
        "\t",
        "a\tb",
        "\ta",
        "a\t",
        "--- a",
        "... a",
        "# a",
        "key:",
        ": a",
        "!!int 1",
        "&a b",
        "*a b",
    ),
)
_LINES = (
    *("\n", "a\n", "\na", "a\nb", "a\nb\n", "a\n\nb", "a\nb\n\n\n", " a\nb", "a\n b", "a\n  b\nc"),
    *(
        "a \nb",
        "a\n b \n",
        "a\r\nb",
        "a\rb",
        "---\na",
        "a\n---\nb",
        "a\n...\n",
        "# a\nb",
        "a: b\nc: d",
    ),
    *(
        "\ta\nb",
        "a\n\tb",
        "1\n2",
        '{\n "a": "b",\n "c": [1, 2]\n}',
        "a\n#b",
        "- a\n- b",
        "\n\n",
        "\n a",
    ),
)
_CHARACTERS = (
    *(
        "é",
        "ß",
        "日本",
        "\x00",
        "\x07",
        "\x1b[0m",
        "\x7f",
        "\x85",
        "a\x85b",
        "\xa0",
        "\u2028",
        "\u2029",
    ),
    *(
        "\ufeff",
        "\ufeffa",
        "a\u2028b",
        "\U0001f600",
        "\ufffd",
        "é\nb",
        "a\u2029\nb",
        "\xad",
        "\u200b",
    ),
)


def texts() -> Iterator[str]:
    """All of them, with long ones that a writer could fold."""
    yield from " ".join((_NUMBERS, _WORDS, _TIMES, _MARKS)).split()
    yield from (*_SPACED, *_LINES, *_CHARACTERS)
    yield from (
        "a " * 200,
        "a" * 300,
        "1" * 300,
        ("b " * 60).strip(),
        "y " * 100 + "\n" + "n " * 90,
    )


TEXTS = tuple(dict.fromkeys(texts()))
