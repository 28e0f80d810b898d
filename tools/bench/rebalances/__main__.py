"""Entry: ``python -m tools.bench.rebalances``, which writes docs/rebalance-table.md."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from tools import layout
from tools.bench.rebalances import event_rows, measurement, rebalance_table
from tools.bench.rebalances.cells import REPEATS, Cell, centres, design

_ALL_MINUTES, _QUICK_MINUTES, _TOGETHER = 180.0, 5.0, 3


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, as far as the time allows, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.rebalances", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="the centres only, five minutes")
    parser.add_argument("--minutes", type=float, help="end after so long; 0: only write the page")
    parser.add_argument("--repeats", type=int, default=REPEATS)
    parser.add_argument("--together", type=int, default=_TOGETHER, help="groups at a time")
    parser.add_argument("--cell", action="append", help="how names of cells begin; repeatable")
    root = layout.here().root
    shipped = root / event_rows.SHIPPED
    parser.add_argument("--results", type=Path, default=shipped, help="rows that are kept")
    page = root / "docs" / "rebalance-table.md"
    parser.add_argument("--out", type=Path, default=page, help="page to write")
    options = parser.parse_args(arguments)
    minutes = options.minutes
    if minutes is None:
        minutes = _QUICK_MINUTES if options.quick else _ALL_MINUTES
    cells = _chosen(centres() if options.quick else design(), options.cell)
    measurement.measure(cells, options.results, options.repeats, options.together, minutes * 60.0)
    every = {cell: event_rows.rows(options.results, cell) for cell in design()}
    options.out.write_text(rebalance_table.page(every), encoding="utf-8")
    print(f"wrote {options.out}")


def _chosen(cells: Sequence[Cell], names: Sequence[str] | None) -> list[Cell]:
    return [cell for cell in cells if not names or cell.name.startswith(tuple(names))]


if __name__ == "__main__":
    main()
