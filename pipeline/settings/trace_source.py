"""A recorded trace of a run's configuration."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from pipeline.base.errors import InputError
from pipeline.inputs import traces
from pipeline.inputs.traces import Trace
from pipeline.inputs.traces.hot_partitions import Peak
from pipeline.inputs.traces.reading import Reading


class TraceSource(BaseModel):
    """A recorded trace, as it was when the run was configured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    path: Path
    """The file, absolute."""
    stream_id: str
    """``trace-`` and the file's name without its ending, different for each file of a run."""
    digest: str
    """SHA-256 of its rates (after resampling, if it is resampled), hexadecimal."""
    partitions: int
    iterations: int
    """`partitions`, `iterations`: size of the resulting stream."""
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
    """`values`, `timestamps`: how the file is read; see
    `pipeline.inputs.traces.reading.Reading`."""
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

    @cached_property
    def trace(self) -> Trace:
        """Its rates in the iterations of the run, in memory until `forget`.

        A cached property is no field: a frozen model lets it be set and deleted, and two sources
        are equal whether they have read their files or not.

        `pipeline.settings.traces.read` has them when it describes the file. A process that begins
        a run writes them into the run's folder (`pipeline.warehouse.runs.parsed_traces`), where its
        stages read them.

        Raises InputError if the file has to be read again and has changed since the run was
            configured.
        """
        trace = traces.resampled(traces.read(self.path, self.reading), self.path, self.step_seconds)
        if trace.digest != self.digest:
            raise InputError(f"--trace {self.path}: changed after the run was configured")
        return trace

    def keep(self, trace: Trace) -> None:
        """Have its rates in memory, so that the file is not read again."""
        self.trace = trace

    def forget(self) -> None:
        """Free the memory of its rates, which `trace` reads again."""
        del self.trace
