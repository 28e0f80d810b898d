"""Entry: benchmarks by name, which print their tables and add their part to a JSON file."""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tools import layout
from tools.bench import benchmarks_page, results_file, service_runs
from tools.bench.cases import CASES
from tools.bench.service_runs import PRESETS

PLACE = layout.here()
KERNELS, SIMULATIONS, QUERY, END_TO_END = "kernels", "simulations", "query", "end-to-end"
LEARNING = "learning"
GAINS, SERVICES, ALL, PAGE = "start-up", "services", "all", "page"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run benchmarks."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    choices = [KERNELS, SIMULATIONS, LEARNING, QUERY, END_TO_END, GAINS, SERVICES, ALL, PAGE]
    parser.add_argument("benchmark", choices=choices)
    parser.add_argument("--out", type=Path, default=PLACE.root / "build" / "bench.json")
    parser.add_argument(
        "--case", action="append", choices=[*CASES], help="an end-to-end case; repeatable"
    )
    parser.add_argument(
        "--preset", action="append", choices=PRESETS, help="for `services`; repeatable"
    )
    options = parser.parse_args(arguments)
    if options.benchmark == PAGE:
        benchmarks_page.write(options.out, PLACE.root / "docs" / "benchmarks.md")
        return
    if options.benchmark == SERVICES:
        # Not part of `all`, which must not share the machine with them.
        service_runs.main(PLACE, options.out, options.preset)
        return
    from pipeline.base import paths

    # Before anything imports Numba or JAX: use the compiled code of these sources only.
    os.environ.update(paths.caches())
    from tools.bench import (
        end_to_end,
        event_speed,
        kernels,
        learning_speed,
        query,
        simulation_speed,
        start_up_gains,
        step_speed,
    )

    results_file.update(options.out, {"measured": machine()})
    if options.benchmark in (KERNELS, ALL):
        kernels.main(options.out)
        step_speed.main(options.out)
    if options.benchmark in (SIMULATIONS, ALL):
        simulation_speed.main(options.out)
        event_speed.main(options.out)
    if options.benchmark in (LEARNING, ALL):
        learning_speed.main(options.out)
    if options.benchmark in (QUERY, ALL):
        query.main(options.out)
    if options.benchmark in (END_TO_END, ALL):
        end_to_end.main(PLACE, options.out, options.case)
    if options.benchmark in (GAINS, ALL):
        start_up_gains.main(PLACE, options.out)


def machine() -> dict[str, object]:
    """Time and machine of the measurement."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "cores": os.cpu_count(),
        "memory_gib": round(memory / 2**30, 1),
        "processor": _processor(),
        "python": platform.python_version(),
    }


def _processor() -> str:
    """Name of the processor, if the system reports it."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


if __name__ == "__main__":
    main()
