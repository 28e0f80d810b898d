"""What the paper claims, in short, and what a reader should know about each verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

PAPER: Final = (
    "Giannakopoulos and Kalogeraki, An Elastic and Scalable Topic-Based Pub/Sub System Using Deep "
    "Reinforcement Learning, DAIS 2022"
)


class Published(NamedTuple):
    """A claim: where it is, what it says, and a note on how it is judged."""

    location: str
    statement: str
    note: str = ""


_START = "The paper does not say with how many brokers an episode starts."
_PRINTED = "It says nothing about settings that the paper does not print."
_NOT_TESTED = "Not tested: "

CLAIMS: Final[Mapping[str, Published]] = {
    "R1": Published("Figs 2, 3", "Reward 1 leads to 3 brokers.", _START),
    "R2": Published("Figs 4, 5", "Reward 2 leads to 11 brokers.", _START),
    "R3": Published("Figs 6, 7", "Reward 3 leads to the optimal policy.", _PRINTED),
    "R4": Published(
        "p. 11",
        "With reward 3, Double DQN has the higher return in almost each training episode.",
        "Reproduced if it has in more than half; a draw is not higher.",
    ),
    "R5": Published(
        "p. 11",
        "Both agents perform equally well.",
        "Equal means that the whole interval of the difference is within 0.05.",
    ),
    "R6": Published(
        "p. 11",
        "One set of hyper-parameters suits all rewards.",
        "An experiment trains all rewards with one set. R1 to R3 say whether it suits them.",
    ),
    "R7": Published(
        "p. 11",
        "10 episodes are enough.",
        f"A seed counts if each agent succeeds with each reward. {_PRINTED}",
    ),
    "R8": Published(
        "Sect. 3.1",
        "Weights of insignificant inputs approach zero.",
        "An input is insignificant if its mean in its place changes at most 1 % of the decisions; "
        "a seed counts if such inputs keep at most half of the weight from before training. Inputs "
        "are replaced one at a time, and at constant load several carry the same information: one "
        "can count as insignificant because another carries it.",
    ),
    "R9": Published(
        "Sect. 4",
        "Layer normalization makes the raw metrics comparable.",
        "Metrics that normalization makes comparable need no ranges. Not reproduced if metrics as "
        "they are (raw) score clearly less than those divided by their ranges first (scaled); "
        "reproduced only if scaled ones succeed. Nothing is trained without normalization.",
    ),
    "R10": Published(
        "Sect. 4",
        "200 ms is a reasonable objective for 11 brokers.",
        "Latency is calibrated to it.",
    ),
    "R11": Published(
        "Figs 2-7",
        "Curves of early and late training.",
        f"{_NOT_TESTED}the paper prints no values.",
    ),
}
"""Claims by number."""
