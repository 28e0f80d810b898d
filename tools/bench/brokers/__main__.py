"""Entry: ``python -m tools.bench.brokers``, which writes docs/broker-curve-table.md."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from algorithms.learning import measured_latencies
from pipeline.base.errors import InputError, StageError
from tools import layout
from tools.bench.brokers import curve_rows, curve_runs, curve_table
from tools.bench.brokers.curve_runs import Design

_MINUTES = 60.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, as far as the time allows, and write the page and the data."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench.brokers", description=__doc__)
    usual, root = Design(), layout.here().root
    parser.add_argument("--repeats", type=int, default=usual.repeats, help="clusters of each size")
    scrapes = "times between scrapes of an interval"
    parser.add_argument("--scrapes", type=int, default=usual.scrapes, help=scrapes)
    parser.add_argument("--minutes", type=float, default=_MINUTES, help="begin none after so long")
    results = root / "build" / "brokers" / "rows.jsonl"
    parser.add_argument("--results", type=Path, default=results, help="rows that are kept")
    page = root / "docs" / "broker-curve-table.md"
    parser.add_argument("--out", type=Path, default=page, help="page to write")
    data = Path(measured_latencies.__file__)
    parser.add_argument("--data", type=Path, default=data, help="module with data to write")
    options = parser.parse_args(arguments)
    design = replace(usual, repeats=options.repeats, scrapes=options.scrapes)
    try:
        curve_runs.measure(design, options.results, 60.0 * options.minutes)
    except (InputError, StageError) as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, InputError) else 1)
    rows = curve_rows.rows(options.results)
    if not rows:
        print(f"error: no rows in {options.results}; give more `--minutes`", file=sys.stderr)
        sys.exit(2)
    options.out.write_text(curve_table.page(rows, os.cpu_count() or 1), encoding="utf-8")
    text = curve_table.data(rows, data.read_text(encoding="utf-8"))
    options.data.write_text(text, encoding="utf-8")
    print(options.out.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
