"""Entry: ``python -m tools.bench.certainty``, which writes docs/certainty-table.md."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pipeline.base.process import machine
from tools import layout
from tools.bench.certainty import certainty_table, stated_weeks
from tools.bench.certainty.families import FAMILIES, Family
from tools.bench.certainty.stated_weeks import StatedWeek

WORKLOADS = 200


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate all workloads, judge what the model states, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.certainty", description=__doc__)
    parser.add_argument("--workloads", type=int, default=WORKLOADS, help="of all families together")
    page = layout.here().root / "docs" / "certainty-table.md"
    parser.add_argument("--out", type=Path, default=page, help="page to write")
    options = parser.parse_args(arguments)
    tasks = [(FAMILIES[i % len(FAMILIES)], i // len(FAMILIES)) for i in range(options.workloads)]
    rows: list[StatedWeek] = []
    with ThreadPoolExecutor(machine.all_cores()) as pool:
        for i, each in enumerate(pool.map(_judged, tasks)):
            rows += each
            if (i + 1) % len(FAMILIES) == 0:
                print(f"{i + 1} of {options.workloads} workloads", flush=True)
    certainty_table.write(rows, options.workloads, options.out)
    print(options.out.read_text(encoding="utf-8"))


def _judged(task: tuple[Family, int]) -> list[StatedWeek]:
    family, workload = task
    return list(stated_weeks.judged(family, workload, stated_weeks.simulated(family, workload)))


if __name__ == "__main__":
    main()
