"""The complete runs to measure, by name; importing this is cheap, because `--help` does it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tools.console import words
from tools.layout import Layout

TRACE_PARTITIONS, TRACE_ITERATIONS = 10_000, 500
THOUSAND_WORKLOADS = Path("docs", "examples", "thousand-workloads.yaml")
"""Configuration of 1,000 workloads, in the folder of the project."""

Command = Callable[[Layout, Path], list[str]]


def _preset(name: str, layout: Layout, folder: Path) -> list[str]:
    return words(layout.venv / "bin" / "groupscale", "run", "--preset", name)


def _airflow(name: str, layout: Layout, folder: Path) -> list[str]:
    return words(layout.python, "-m", "tools", "run", "--preset", name)


def _trace(layout: Layout, folder: Path) -> list[str]:
    from tools.bench import wide_trace

    file = folder / "wide.parquet"
    wide_trace.write(file, TRACE_PARTITIONS, TRACE_ITERATIONS)
    program = layout.venv / "bin" / "groupscale"
    return words(program, "run", "--trace", file, "--set", "algorithms=reference")


def _workloads(layout: Layout, folder: Path) -> list[str]:
    program = layout.venv / "bin" / "groupscale"
    return words(program, "run", "--config", layout.root / THOUSAND_WORKLOADS)


CASES: dict[str, Command] = {
    "smoke": lambda layout, folder: _preset("smoke", layout, folder),
    "paper": lambda layout, folder: _preset("paper", layout, folder),
    "paper through Airflow": lambda layout, folder: _airflow("paper", layout, folder),
    "trace, 10,000 partitions": _trace,
    "nightly": lambda layout, folder: _preset("nightly", layout, folder),
    "workloads, 1,000": _workloads,
}
"""Command of each case, for a layout and a folder of its own; a warehouse is added."""
