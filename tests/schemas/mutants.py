"""Conditions with one part changed: a part that no row needs is redundant."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_TOKEN = re.compile(r"'[^']*'|IS NOT NULL|IS NULL|<=|>=|<>|[<>=(),]|\w+")
_TURNED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<"}
_COMPARING = {*_TURNED, "=", "<>", "IN", "IS NULL", "IS NOT NULL"}
_DEEPER, _HIGHER = {"(", "CASE"}, {")", "END"}
_BETWEEN = {",", "AND", "OR", "NOT", "WHEN", "THEN", "ELSE"}


def fixed(condition: str) -> dict[str, str]:
    """The condition with each comparison replaced by true, and by false."""
    fixes = {}
    tokens = list(_TOKEN.finditer(condition))
    for i, token in enumerate(tokens):
        if token[0] in _COMPARING:
            start, end = _extent(condition, tokens, i)
            # That a value is there is said for the reader: without one, no comparison is true.
            for value in ("false",) if token[0] == "IS NOT NULL" else ("true", "false"):
                replaced = f"{condition[:start]} {value} {condition[end:]}"
                fixes[f"{condition[start:end].strip()} (at {token.start()}) as {value}"] = replaced
    return fixes


def turned(condition: str) -> dict[str, str]:
    """The condition with each comparison turned round."""
    return {
        f"{token[0]} at {token.start()}": (
            condition[: token.start()] + _TURNED[token[0]] + condition[token.end() :]
        )
        for token in _TOKEN.finditer(condition)
        if token[0] in _TURNED
    }


def _extent(condition: str, tokens: Sequence[re.Match[str]], i: int) -> tuple[int, int]:
    """Where the comparison with the operator ``i`` begins and ends."""
    before = next(_limits(reversed(tokens[:i]), _HIGHER, _DEEPER), None)
    after = next(_limits(iter(tokens[i + 1 :]), _DEEPER, _HIGHER), None)
    return before.end() if before else 0, after.start() if after else len(condition)


def _limits(
    tokens: Iterator[re.Match[str]], opening: set[str], closing: set[str]
) -> Iterator[re.Match[str]]:
    depth = 0
    for token in tokens:
        depth += (token[0] in opening) - (token[0] in closing)
        if depth < 0 or (depth == 0 and token[0] in _BETWEEN):
            yield token
