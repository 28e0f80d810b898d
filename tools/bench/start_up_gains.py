"""Measures what each means of starting faster gains: preset smoke with all, and without one.

Two are tricks on the insides of PySpark and Java (`pipeline/warehouse/spark/internals.py`,
`jvm.py`), which must earn their place. Rounds alternate the cases, so that a slow minute meets all
of them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tools.bench import end_to_end, results_file
from tools.console import words
from tools.layout import Layout

ROUNDS = 3
ALL_ON = "all of them"
_SPARK = "from pipeline.warehouse.spark import"
WITHOUT = {
    ALL_ON: "",
    "workers forked with compiled kernels": (
        f"{_SPARK} internals; internals.worker_settings = lambda kernels: {{}}"
    ),
    "archive of Java classes": f"{_SPARK} jvm; jvm._classes = lambda: ()",
    "no optimising compiler": f"{_SPARK} jvm; jvm._BRIEF = ()",
    "modules imported ahead": (
        "from pipeline.engine import steps; steps.import_ahead = lambda *modules: None"
    ),
}
"""What turns each means off, in a process of its own."""


class StartUpGain(NamedTuple):
    """One means."""

    means: str
    """What is off."""
    seconds: float
    """Median wall time of preset smoke without it."""


def main(layout: Layout, file: Path) -> None:
    """Measure, print the medians and write `start_up_gains` to a file."""
    times: dict[str, list[float]] = {means: [] for means in WITHOUT}
    for _ in range(ROUNDS):
        for means, seconds in _round(layout):
            times[means].append(seconds)
    rows = [StartUpGain(means, round(median(seconds), 1)) for means, seconds in times.items()]
    for row in rows:
        print(f"{row.means:40}  {row.seconds:6.1f} s")
    results_file.update(file, {"start_up_gains": [row._asdict() for row in rows]})


def _round(layout: Layout) -> Iterator[tuple[str, float]]:
    for means, off in WITHOUT.items():
        code = f"{off}\nfrom pipeline.cli.app import main\nmain()"
        command = words(layout.python, "-c", code, "run", "--preset", "smoke")
        with tempfile.TemporaryDirectory(prefix="groupscale-bench-") as folder:
            row = end_to_end.run(layout, means, command, Path(folder))
        yield means, row.seconds
