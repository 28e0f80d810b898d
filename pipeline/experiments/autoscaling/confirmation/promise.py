"""What a recommendation has promised: reads its ``recommendation.json``."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

from pipeline.base.errors import InputError
from pipeline.inputs.traces import files

MOST_BYTES = 64_000_000
_NEEDED = ("answer", "objective", "prices", "rule", "asked", "load", "times", "partitions")


class Promise(NamedTuple):
    """What was recommended, and what it was to bring."""

    record: dict[str, Any]
    """The whole file."""
    label: str
    """The strategy with its parameters."""
    replicas: float
    low: float
    high: float
    """`replicas`, `low`, `high`: mean replicas, with the 95 % interval of the next week; NaN where
    the cost has other parts than replicas, or none was computed."""
    peak: float
    late: float
    """Predicted share of late events."""
    scalings: float
    """Per hour."""
    allowed: float
    """Share of late events that the objective allows."""
    latency_s: float
    members_per_replica: int
    """Counts of an answer are of members; a pod has as many."""


def read(path: Path) -> Promise:
    """Read what ``recommend --output`` or ``recommend --json`` has written.

    Raises InputError if it is something else, has no answer, or is of an earlier version.
    """
    text = files.read_text(path, MOST_BYTES)
    try:
        record = json.loads(text)
    except ValueError as error:
        raise InputError(
            f"--recommendation {path}: must be JSON; name the recommendation.json that recommend "
            "--output writes"
        ) from error
    for name in _NEEDED:
        if not isinstance(record, dict) or name not in record:
            raise InputError(
                f"--recommendation {path}: `{name}` is missing; make the file again with "
                "recommend --output"
            )
    if record["answer"] is None:
        raise InputError(
            f"--recommendation {path}: `answer` must be a strategy (got null: nothing could be "
            "deployed); run recommend again with another --slo"
        )
    try:
        return _promise(record)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(
            f"--recommendation {path}: a field has another form than recommend writes ({error}); "
            "make the file again with recommend --output"
        ) from error


def _promise(record: dict[str, Any]) -> Promise:
    answer = record["answer"]
    low, high = _interval(record)
    on_time = answer["on_time_percent"]["value"]
    return Promise(
        record,
        str(answer["label"]),
        float(answer["replicas"]),
        low,
        high,
        float(answer["most_replicas"]),
        math.nan if on_time is None else 1.0 - float(on_time) / 100.0,
        float(answer["scalings_per_hour"]),
        1.0 - float(record["objective"]["percent"]) / 100.0,
        float(record["objective"]["latency_s"]),
        int(record["asked"].get("members_per_replica", 1)),
    )


def _interval(record: dict[str, Any]) -> tuple[float, float]:
    prices, cost = record["prices"], record["answer"]["cost_per_hour"]
    is_replicas = prices["replica_hour"] > 0.0 and not (prices["late_event"] or prices["move"])
    if not is_replicas or cost["low"] is None or cost["high"] is None:
        return math.nan, math.nan
    price = float(prices["replica_hour"])
    return float(cost["low"]) / price, float(cost["high"]) / price
