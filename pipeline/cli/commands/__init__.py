"""The commands of ``groupscale``, as its help lists them.

To add one, write a module here with the function of its name and list it in `PANELS`. If
Python reserves the name, add an underscore to the function; the command has none. Modules are
imported for every help page: put slow imports into the functions. Commands with a common first
word, such as ``live record``, are a group in `GROUPS`.
"""

from __future__ import annotations

from collections.abc import Callable

import typer

from pipeline.cli.commands.airflow_command import airflow
from pipeline.cli.commands.algorithms_command import algorithms
from pipeline.cli.commands.compare_command import compare
from pipeline.cli.commands.confirm_command import confirm
from pipeline.cli.commands.demo_data_command import demo_data
from pipeline.cli.commands.import_command import import_
from pipeline.cli.commands.learn_command import learn
from pipeline.cli.commands.live_command import live
from pipeline.cli.commands.presets_command import presets
from pipeline.cli.commands.promote_command import promote
from pipeline.cli.commands.recommend_command import recommend
from pipeline.cli.commands.report_command import report
from pipeline.cli.commands.retain_command import retain
from pipeline.cli.commands.run_command import run
from pipeline.cli.commands.runs_command import runs
from pipeline.cli.commands.scaler_command import scaler
from pipeline.cli.commands.simulate_command import simulate
from pipeline.cli.commands.sql_command import sql
from pipeline.cli.commands.strategies_command import strategies
from pipeline.cli.commands.track_command import track

PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Decide": (recommend, confirm, simulate, import_, demo_data),
    "Run": (run, presets, algorithms, strategies),
    "Look": (runs, report, sql, compare),
    "Operate": (scaler, promote, track, retain, airflow),
}
"""Commands by what they are for, as help shows them."""

PASSED_ON = (airflow,)
"""Commands whose arguments are those of another program, options included."""

GROUPS: dict[str, typer.Typer] = {"Live": live, "Learn": learn}
"""Groups of commands by what they are for."""


def command_name(command: Callable[..., None]) -> str:
    """Name of a command: that of its function, with hyphens."""
    return command.__name__.rstrip("_").replace("_", "-")
