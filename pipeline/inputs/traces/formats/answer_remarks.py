"""What Prometheus says of its own answers: warnings, and infos on the query."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pipeline.base.text.printable import printable

WARNINGS, INFOS = "warnings", "infos"

_MOST, _LONGEST = 5, 300
_PARTIAL = "partial response"
"""What VictoriaMetrics says with a flag."""


def of(answers: Iterable[Any], *keys: str) -> tuple[str, ...]:
    """Texts under keys of the answers, each once."""
    said = (
        " ".join(str(text).split())
        for answer in answers
        if isinstance(answer, dict)
        for key in keys
        for text in _texts(answer, key)
    )
    return tuple(dict.fromkeys(said))


def _texts(answer: dict[str, Any], key: str) -> Iterator[object]:
    texts = answer.get(key) or ()
    yield from texts if isinstance(texts, (list, tuple)) else (texts,)
    if key == WARNINGS and answer.get("isPartial") is True:
        yield _PARTIAL


def notes(texts: Sequence[str]) -> Iterator[str]:
    """The first ones as notes."""
    for text in texts[:_MOST]:
        yield f"Prometheus says: {printable(text)[:_LONGEST]}"
