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
        Unit of times that are numbers, such as ``s`` or ``ms``.
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
        given = {name: kind for name, kind in self._asdict().items() if kind is not None}
        return traces.load(path, **given)


RECOGNIZED = Reading()
"""Everything is recognized."""
