"""Entry: ``python -m tools.bench.ways``, which writes docs/ways-table.md."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pipeline.base.process import machine
from tools import layout
from tools.bench.ways import kept_savings, ways_table

WORKLOADS = 10


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate all workloads, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.ways", description=__doc__)
    parser.add_argument("--workloads", type=int, default=WORKLOADS)
    page = layout.here().root / "docs" / "ways-table.md"
    parser.add_argument("--out", type=Path, default=page, help="page to write")
    options = parser.parse_args(arguments)
    tasks = [
        (workload, latency_s)
        for workload in kept_savings.workloads(options.workloads)
        for latency_s in kept_savings.LATENCIES_S
    ]
    rows = []
    with ThreadPoolExecutor(machine.all_cores()) as pool:
        for number, row in enumerate(pool.map(lambda task: kept_savings.costs(*task), tasks)):
            rows.append(row)
            print(f"{number + 1} of {len(tasks)}: {row.workload}", flush=True)
    options.out.write_text(ways_table.page(rows), encoding="utf-8")
    print(options.out.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
