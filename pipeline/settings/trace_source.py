"""A recorded trace of a run's configuration."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pipeline.inputs.traces.hot_partitions import Peak
from pipeline.inputs.traces.reading import Reading


class TraceSource(BaseModel):
    """A recorded trace, as it was when the run was configured.

    Attributes
    ----------
    path
        The file, absolute.
    stream_id
        ``trace-`` and the file's name without its ending, different for each file of a run.
    digest
        SHA-256 of its rates (after resampling, if it is resampled), hexadecimal.
    partitions, iterations
        Size of the resulting stream.
    step_seconds
        Length of the iterations that it is resampled to, s; None where the file has no times.
    form
        Format of the file, in words; empty for the forms that are traces already.
    fastest
        Its fastest partitions, of which the hot ones are reported.
    hot
        Number of its hot partitions.
    values, timestamps
        How the file is read; see `pipeline.inputs.traces.reading.Reading`.
    unit
        Unit of its rates, as in `Trace.unit`.
    started_at
        When it begins, UTC; None for a file without a clock.
    notes
        What readers of results should know about how its rates were made.
    topic_sizes
        Partitions of each topic, in order.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    stream_id: str
    digest: str
    partitions: int
    iterations: int
    step_seconds: float | None = None
    form: str = ""
    fastest: tuple[Peak, ...] = ()
    hot: int | None = None
    values: str | None = None
    timestamps: str | None = None
    unit: str = ""
    started_at: datetime | None = None
    notes: tuple[str, ...] = ()
    topic_sizes: tuple[int, ...] = ()

    @property
    def reading(self) -> Reading:
        """How the file is read."""
        return Reading(self.values, self.timestamps)
