"""Rows of `broker_episodes` from the decisions that a run has left."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from live.brokers.deciding import episode_store
from live.brokers.deciding.deciding_run import KAFKA, Part
from live.brokers.deciding.episode_decisions import Decision

Row = dict[str, Any]

_SAME = ("episode", "step", "state", "action", "explores", "before", "after")


def rows(parts: Iterable[Part], folder: Path) -> Iterator[Row]:
    """A row per decision. Raises StageError if a part has left none, or damaged ones."""
    for part in parts:
        for decision, content in episode_store.read(part.folder(folder)):
            yield part._asdict() | row(decision, part.cluster == KAFKA) | content


def row(decision: Decision, is_live: bool) -> Row:
    """A decision and its interval; what is infinite or missing is null."""
    return {
        **{name: getattr(decision, name) for name in _SAME},
        "refusal": decision.refusal or None,
        "reward_value": decision.reward,
        **{f"{way}_ms": _finite(value) for way, value in decision.p95_ms._asdict().items()},
        "loss": _finite(decision.loss),
        "seconds": _finite(decision.seconds),
        "scaling_s": _finite(decision.scaling_s),
        "moves": decision.moves if is_live else None,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
