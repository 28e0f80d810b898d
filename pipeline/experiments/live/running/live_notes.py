"""Notes printed before a live run."""

from __future__ import annotations

from pipeline.experiments.live.running import admission, run_brokers
from pipeline.settings.run_config import RunConfig


def notes(config: RunConfig, run_id: str) -> list[str]:
    """What the run takes, and what it writes on each cluster of the user, one line each."""
    written = [
        f"the run creates topics {run_brokers.prefix(run_id)}* on {bootstrap}, writes to no other "
        "topic, and deletes them when it ends"
        for bootstrap in sorted({one.bootstrap for one in config.live} - {""})
    ]
    return [f"the run takes {admission.needs(config)}", *written]
