"""``groupscale live faults``."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.cli.commands.options import Debug
from pipeline.cli.exits import FAILED, reporting_errors


def faults(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME …", help="Faults \\[default: all; see docs/live.md]"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Inject faults into live runs on brokers of their own, and check the evidence.

    Exits with 1 if anything is not as expected; the folder of that run stays then.
    """
    from pipeline.base import progress
    from pipeline.experiments.live.faults import run_faults
    from pipeline.warehouse.runs import one_live_run_lock, scratch_folders

    failed = 0
    with reporting_errors(debug):
        chosen = run_faults.chosen(names or [])
        progress.note(f"the faults take {run_faults.needs(chosen)}")
        with one_live_run_lock.alone(), scratch_folders.new("faults-") as folder:
            for outcome in run_faults.run(chosen, folder):
                verdict = "as expected" if not outcome.wrong else "NOT as expected"
                if outcome.skipped:
                    verdict = f"skipped ({outcome.skipped})"
                print(f"{outcome.fault.name:20} {verdict}: {outcome.fault.expected}", flush=True)
                if outcome.answered_s is not None:
                    print(f"{'':20} answered after {outcome.answered_s:.2f} s", flush=True)
                for line in outcome.wrong:
                    print(f"{'':20} {line}", flush=True)
                failed += bool(outcome.wrong)
            if failed:
                progress.note(f"what these runs have left: {folder}")
    if failed:
        raise typer.Exit(FAILED)
