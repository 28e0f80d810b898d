"""Measures time and memory of complete runs, JVM start included.

Every case is a command as a user would type it, in separate processes, with tables and MLflow's
database in a temporary folder. Memory is that of all processes together; see `resource_use`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pipeline.base.text.failure_cause import cause
from tools.bench import resource_use, results_file
from tools.bench.cases import CASES
from tools.console import CommandFailed, say
from tools.environment import variables
from tools.layout import Layout


class CaseTime(NamedTuple):
    """One measurement."""

    case: str
    """Name of the case."""
    seconds: float
    """Wall time of the command."""
    peak_mib: float
    """Largest memory of all its processes together, MiB."""


def main(layout: Layout, file: Path, cases: Sequence[str] | None = None) -> None:
    """Measure `CASES`, print the table, and write `end_to_end` to a file. cases: None for all."""
    rows = list(measure(layout, cases or tuple(CASES)))
    width = max(len(row.case) for row in rows)
    print(f"{'':{width}}  {'seconds':>8}  {'peak MiB':>8}")
    for row in rows:
        print(f"{row.case:{width}}  {row.seconds:8.1f}  {row.peak_mib:8,.0f}")
    results_file.update(file, {"end_to_end": [row._asdict() for row in rows]})
    print(f"\n{file}")


def measure(layout: Layout, cases: Sequence[str]) -> Iterator[CaseTime]:
    """Run cases in turn. Raises CommandFailed if one fails; its output stays in the logs."""
    for case in cases:
        say(f"bench: {case}")
        with tempfile.TemporaryDirectory(prefix="groupscale-bench-") as folder:
            yield run(layout, case, CASES[case](layout, Path(folder)), Path(folder))


def run(layout: Layout, case: str, command: Sequence[str], folder: Path) -> CaseTime:
    """Measure one command, with its tables in a folder."""
    command = [*command, "--warehouse", str(folder / "warehouse")]
    log = layout.logs / f"bench-{case.split(',')[0].replace(' ', '-')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    seen = resource_use.run(command, _environment(layout, folder), layout.root, log)
    if seen.status != 0:
        raise CommandFailed(f"{case}: {cause(log.read_text())}", log)
    return CaseTime(case, round(seen.seconds, 1), round(seen.peak_mib))


def _environment(layout: Layout, folder: Path) -> Mapping[str, str]:
    return {**variables(layout), "MLFLOW_TRACKING_URI": f"sqlite:///{folder}/mlflow.db"}
