"""Times until a new replica joins: one number of seconds, or pieces with shares.

Pieces are written ``10-50:0.88,50-500:0.12``: between 10 and 50 s in 88 % of the starts, uniform
within a piece. Within a candidate, where ``:`` and ``,`` separate parameters and candidates, they
are written ``10-50@0.88+50-500@0.12``. Published distributions have names.

Needs the standard library alone, as declarations do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

PUBLISHED: Mapping[str, str] = MappingProxyType({"landau_2024": "10-50:0.88,50-500:0.12"})
"""Landau et al. 2024, Fig. 16: pods of a cluster, of which 88 % start in 10 to 50 s."""

FORM = f"times with shares such as 10-50:0.88,50-500:0.12, or {', '.join(PUBLISHED)}"

_NUMBER = r"(-?[0-9]*\.?[0-9]+)"
_PIECE = re.compile(rf"{_NUMBER}-{_NUMBER}:{_NUMBER}", re.ASCII)
_EXACT = 1e-9


class Piece(NamedTuple):
    """Starts that take any time between two, all as likely."""

    low_s: float
    high_s: float
    share: float
    """Share of all starts, above 0."""


def written(text: str, most_s: float) -> str | None:
    """The text as it is stored; None if it has another form.

    Raises ValueError, which says what the pieces must be, if they are no distribution.
    """
    if text in PUBLISHED:
        return text
    plain = text.replace(" ", "").replace("@", ":").replace("+", ",")
    parts = plain.split(",")
    if not all(_PIECE.fullmatch(part) for part in parts):
        return None
    each = pieces(plain)
    times = [time_s for piece in each for time_s in (piece.low_s, piece.high_s)]
    if min(times) < 0.0 or max(times) > most_s:
        raise ValueError(f"pieces between 0 and {most_s:g} s")
    if any(piece.low_s > piece.high_s for piece in each):
        raise ValueError("pieces FROM-TO:SHARE with FROM at most TO")
    if any(piece.share <= 0.0 for piece in each):
        raise ValueError("pieces with shares above 0")
    total = sum(piece.share for piece in each)
    if abs(total - 1.0) > _EXACT:
        raise ValueError(f"pieces whose shares sum to 1, not {total:g}")
    return plain


def pieces(startup_s: float | str) -> tuple[Piece, ...]:
    """The pieces of a checked value, in their order; that of one number has no width.

    >>> pieces("landau_2024")[0]
    Piece(low_s=10.0, high_s=50.0, share=0.88)
    """
    if not isinstance(startup_s, str):
        return (Piece(startup_s, startup_s, 1.0),)
    found = _PIECE.findall(PUBLISHED.get(startup_s, startup_s))
    return tuple(Piece(*map(float, numbers)) for numbers in found)


def text_of(startup_s: float | str) -> str:
    """The pieces as they are written, also of a name; empty for one number."""
    return PUBLISHED.get(startup_s, startup_s) if isinstance(startup_s, str) else ""


def in_candidate(startup_s: str) -> str:
    """The same text, as a candidate's parameter is written.

    >>> in_candidate("10-50:0.88,50-500:0.12")
    '10-50@0.88+50-500@0.12'
    """
    return startup_s.replace(":", "@").replace(",", "+")


def mean_s(startup_s: float | str) -> float:
    """Mean time of a start.

    >>> round(mean_s("landau_2024"), 1), mean_s(20.0)
    (59.4, 20.0)
    """
    if not isinstance(startup_s, str):
        return startup_s
    return sum(piece.share * (piece.low_s + piece.high_s) / 2.0 for piece in pieces(startup_s))


def scaled(startup_s: float | str, factor: float) -> float | str:
    """All times multiplied; shares stay.

    >>> scaled(20.0, 0.5), scaled("10-50:0.88,50-500:0.12", 3.0)
    (10.0, '30-150:0.88,150-1500:0.12')
    """
    if not isinstance(startup_s, str):
        return startup_s * factor
    return ",".join(
        f"{_plain(piece.low_s * factor)}-{_plain(piece.high_s * factor)}:{part.rpartition(':')[2]}"
        for piece, part in zip(pieces(startup_s), text_of(startup_s).split(","), strict=True)
    )


def words(startup_s: float | str) -> str:
    """The times in words.

    >>> words(20.0), words("10-50:0.88,50-500:0.12")
    ('20 s', '10 to 50 s (88 %) or 50 to 500 s (12 %)')
    """
    if not isinstance(startup_s, str):
        return f"{startup_s:g} s"
    return " or ".join(
        f"{piece.low_s:g} to {piece.high_s:g} s ({100.0 * piece.share:g} %)"
        for piece in pieces(startup_s)
    )


def _plain(seconds: float) -> str:
    """A number without an exponent."""
    return f"{seconds:.9f}".rstrip("0").rstrip(".")
