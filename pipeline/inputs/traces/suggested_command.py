"""The command that chooses a number of consumers for a trace, for texts that suggest it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

OBJECTIVE = "99%@30s"
"""An objective to start from; the reader sets their own."""

FOLDER = "deploy"
"""Folder for the files to deploy."""


def recommendation(
    file: str,
    consumer_capacity: float,
    partitions: int | None = None,
    reading: Sequence[str] = (),
) -> str:
    """Words of a shell.

    consumer_capacity: Rate of one consumer, in the unit of the trace.
    partitions: Partitions that one total rate is split over; None for rates per partition.
    reading: Options that say how the file is read.

    >>> recommendation("my trace.csv", 5000.0)
    "groupscale recommend 'my trace.csv' --mu 5000 --slo 99%@30s --output deploy"
    """
    split = [] if partitions is None else ["--partitions", str(partitions)]
    rate = f"{consumer_capacity:.15g}"
    command = ["groupscale", "recommend", file, *reading, *split, "--mu", rate]
    return shlex.join([*command, "--slo", OBJECTIVE, "--output", FOLDER])
