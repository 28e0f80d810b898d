"""Settings of runs that need no broker, or only its address."""

from __future__ import annotations

from typing import Any

from live.live_settings import LiveSettings


def short_settings(**changes: Any) -> LiveSettings:
    """Settings of a run with two partitions; named ones are changed."""
    defaults: dict[str, Any] = {
        "run": "r",
        "bootstrap": "127.0.0.1:1",
        "folder": "",
        "partitions": 2,
        "capacity": 1.0,
        "consumer_rate": 1.0,
        "iteration_s": 5.0,
        "iterations": 9,
    }
    return LiveSettings(**{**defaults, **changes})
