"""Files of recorded traces that a run is given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.inputs.traces.reading import RECOGNIZED, Reading


class Recordings(NamedTuple):
    """Files of traces, and how they are read."""

    paths: Sequence[Path]
    """The files, in their order."""
    reading: Reading = RECOGNIZED
    """How each of them is read."""
