"""Events of the groups of an experiment: a row each, with figures from broker and simulation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pandas as pd

from schemas.tables.live.live_agreement import AGREES
from schemas.tables.live.live_recoveries import UNITS

QUANTITIES = tuple(UNITS)


class RecoveredEvent(NamedTuple):
    """An event of one run."""

    stream_id: str
    strategy: str
    event: str
    """As it was declared."""
    figures: dict[str, Any]
    """By quantity: on the broker; with ``_a`` simulated, with ``_b`` replayed; with ``_agrees``
    whether the simulated one agrees."""


def events(rows: pd.DataFrame) -> Iterator[RecoveredEvent]:
    """Events of rows of `live_recoveries`, by stream, strategy and time."""
    keys = ["stream_id", "strategy", "number", "event"]
    for (stream_id, strategy, _, event), own in rows.groupby(keys, sort=True):
        figures: dict[str, Any] = {}
        for row in own.to_dict("records"):
            name = row["quantity"]
            figures[name], figures[f"{name}_a"] = float(row["measured"]), float(row["predicted"])
            figures[f"{name}_b"] = float(row["replayed"])
            figures[f"{name}_agrees"] = row["verdict"] == AGREES
        yield RecoveredEvent(str(stream_id), str(strategy), str(event), figures)
