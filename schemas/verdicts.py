"""Verdicts on published figures: one vocabulary for terminal, report, MLflow and tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

EXACT: Final = "exact"
BY_CONSTRUCTION: Final = "by construction"
REPRODUCED: Final = "reproduced"
CONSISTENT: Final = "consistent"
NOT_REPRODUCED: Final = "not reproduced"
DIFFERS: Final = "differs"
NO_INTERVAL: Final = "no interval"
NOT_COMPARABLE: Final = "not comparable"
OPEN: Final = "open"

WIDEST: Final = 0.25
"""Half of the widest interval that reproduces a figure, as a share of the published value."""

MEANINGS: Final[Mapping[str, str]] = {
    EXACT: "computed from the published input and equal to the last printed digit",
    BY_CONSTRUCTION: "follows from how it is set up, so that it could not come out otherwise",
    REPRODUCED: "inside an interval no wider than ±25 % of the published value, or a qualitative "
    "claim that holds",
    CONSISTENT: "inside a wider interval, or in the range of our repeats and settings, which is "
    "weak evidence",
    NOT_REPRODUCED: "outside the interval, or a claim that does not hold",
    DIFFERS: "a level outside the range of our repeats and of the settings that the paper leaves "
    "open",
    NO_INTERVAL: "too few streams for an interval",
    NOT_COMPARABLE: "the setting or the algorithms differ from the published ones",
    OPEN: "undecided: seeds or variants are missing, or the interval allows both outcomes",
}
"""What each verdict means, best first."""

ALL: Final = tuple(MEANINGS)
"""All verdicts, best first: any paper's figure or claim can get any of them."""

CONFIRMED: Final = (EXACT, REPRODUCED)
"""Verdicts that confirm a published figure."""
