"""How a file of a trace is read where its content does not say it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pipeline import traces

if TYPE_CHECKING:
    from pipeline.traces import Trace


class Reading(NamedTuple):
    """What the user says about the content of a file; None leaves it to be recognized.

    Attributes
    ----------
    values : str or None
        ``rates`` or ``offsets``: what samples of Prometheus and Grafana are.
    timestamps : str or None
        Unit of timestamps that are numbers: ``s``, ``ms``, ``us`` or ``ns``.
    """

    values: str | None = None
    timestamps: str | None = None

    def load(self, path: Path) -> Trace:
        """Read a trace.

        Raises
        ------
        InputError
            As `pipeline.traces.load`.
        """
        return traces.load(path, values=self.values, timestamps=self.timestamps)


RECOGNIZED = Reading()
"""Everything is recognized."""
