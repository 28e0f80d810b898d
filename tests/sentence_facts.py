"""What a sentence says, without its wording: figures and names in their order."""

from __future__ import annotations

import re


def facts_in(text: str, *facts: str) -> list[str]:
    """Those of the facts that a text has whole, each after the one before.

    A figure is no part of a longer one: 2 is not in 2.5, 12 or 2,000. All kinds of space are equal.
    """
    plain, place, found = re.sub(r"\s", " ", text), 0, []
    for fact in facts:
        whole = rf"(?<!\w)(?<!\d[.,]){re.escape(fact)}(?!\w|[.,]\d)"
        match = re.compile(whole).search(plain, place)
        if match is not None:
            place = match.end()
            found.append(fact)
    return found


def figures_of(text: str) -> list[str]:
    """All figures of a text, in order, as they are written."""
    return re.findall(r"(?<![\w.])\d+(?:[.,]\d+)*", text)
