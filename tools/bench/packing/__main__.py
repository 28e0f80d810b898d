"""Entry: ``python -m tools.bench.packing``, which writes docs/packing-table.md."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import product
from pathlib import Path

from tools import layout
from tools.bench.packing import instances, packing_runs, packing_table

INSTANCES, WORKLOADS = 300, 5


def main(arguments: Sequence[str] | None = None) -> None:
    """Pack all instances, simulate all workloads, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.packing", description=__doc__)
    parser.add_argument("--instances", type=int, default=INSTANCES, help="of each kind")
    parser.add_argument("--workloads", type=int, default=WORKLOADS, help="of each profile")
    page = layout.here().root / "docs" / "packing-table.md"
    parser.add_argument("--out", type=Path, default=page, help="page to write")
    options = parser.parse_args(arguments)
    packed = []
    for kind in product(instances.PARTITIONS, instances.CORRELATIONS):
        cell = instances.Cell(*kind)
        packed += [instances.packed(cell, number) for number in range(options.instances)]
        print(f"{cell.partitions} partitions, correlation {cell.correlation:g}", flush=True)
    along = []
    for workload in packing_runs.workloads(options.workloads):
        along.append(packing_runs.run(workload))
        print(f"{workload.group}: {workload.profile} {workload.number + 1}", flush=True)
    options.out.write_text(packing_table.page(packed, along), encoding="utf-8")
    print(options.out.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
