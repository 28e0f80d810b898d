"""Entry: ``python -m tools.bench.placement``, which writes docs/placement-table.md."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from algorithms.placement import BrokerLists
from tools import layout
from tools.bench.placement import generated_plans, placement_table, scalings
from tools.bench.placement.placement_table import KAFKA, LEAST, TURNS
from tools.bench.placement.scalings import PARTITION_NAMES, Planner

CLUSTERS = 20


def main(arguments: Sequence[str] | None = None) -> None:
    """Scale all clusters by all rules, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.placement", description=__doc__)
    parser.add_argument("--clusters", type=int, default=CLUSTERS, help="of each replication")
    page = layout.here().root / "docs" / "placement-table.md"
    parser.add_argument("--out", type=Path, default=page, help="page to write")
    options = parser.parse_args(arguments)
    rows: list[scalings.Scaling] = []
    with generated_plans.started(layout.here()) as kafka:

        def generated(
            before: BrokerLists, brokers: Sequence[int], _: Sequence[float]
        ) -> BrokerLists:
            return kafka.plan(PARTITION_NAMES, before, brokers)

        planners: dict[str, Planner] = {
            LEAST: scalings.least,
            TURNS: scalings.in_turn,
            KAFKA: generated,
        }
        for replication in scalings.REPLICATIONS:
            for cluster in range(options.clusters):
                for rule, planner in planners.items():
                    rows += scalings.scalings(replication, cluster, rule, planner)
            print(f"replication {replication}", flush=True)
    options.out.write_text(placement_table.page(rows), encoding="utf-8")
    print(options.out.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
