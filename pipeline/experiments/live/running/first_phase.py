"""When the first burst of a stream comes within its second."""

from __future__ import annotations

from live.live_settings import DRIFT
from pipeline.experiments.streams.burst_steps import drawn_phase
from pipeline.settings.live_experiment import LiveExperiment


def of_stream(experiment: LiveExperiment, seed: int) -> float:
    """Time from the start of the first second to its burst, s.

    seed: Of the stream.
    Returns: `phase_s`; if that is 0 and bursts drift, one that the seed draws: repeats begin at
        phases of their own, all strategies of a stream at the same one.
    """
    if experiment.phase_s or experiment.arrivals != DRIFT:
        return experiment.phase_s
    return drawn_phase(seed)
