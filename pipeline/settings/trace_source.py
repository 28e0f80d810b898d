"""A recorded trace of a run's configuration."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pipeline.inputs.traces.hot_partitions import Peak
from pipeline.inputs.traces.reading import Reading


class TraceSource(BaseModel):
    """A recorded trace, as it was when the run was configured.

    partitions, iterations: Size of the resulting stream.
    values, timestamps: How the file is read; see `pipeline.inputs.traces.reading.Reading`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    """The file, absolute."""
    stream_id: str
    """``trace-`` and the file's name without its ending, different for each file of a run."""
    digest: str
    """SHA-256 of its rates (after resampling, if it is resampled), hexadecimal."""
    partitions: int
    iterations: int
    step_seconds: float | None = None
    """Length of the iterations that it is resampled to, s; None where the file has no times."""
    form: str = ""
    """Format of the file, in words; empty for the forms that are traces already."""
    fastest: tuple[Peak, ...] = ()
    """Its fastest partitions, of which the hot ones are reported."""
    hot: int | None = None
    """Number of its hot partitions."""
    values: str | None = None
    timestamps: str | None = None
    unit: str = ""
    """Unit of its rates, as in `Trace.unit`."""
    started_at: datetime | None = None
    """When it begins, UTC; None for a file without a clock."""
    notes: tuple[str, ...] = ()
    """What readers of results should know about how its rates were made."""
    topic_sizes: tuple[int, ...] = ()
    """Partitions of each topic, in order."""

    @property
    def reading(self) -> Reading:
        """How the file is read."""
        return Reading(self.values, self.timestamps)
