"""What the tasks of an Airflow DAG do: each calls one function of `pipeline.engine.steps`.

Importing this module is cheap, since Airflow's DAG processor does so again and again.
Tasks pass only the run id and the names of units; data stays in the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from airflow.sdk.exceptions import AirflowFailException

from pipeline.base import paths, progress
from pipeline.base.errors import InputError
from pipeline.experiments.family_list import family_of, notes_of, stages_of
from pipeline.orchestration import dag_run, schedule
from pipeline.orchestration.dag_names import ON_DEMAND
from pipeline.warehouse.runs.experiment_family import load

if TYPE_CHECKING:
    from pipeline.settings.run_config import RunConfig
    from pipeline.warehouse.runs.context import RunContext


P = ParamSpec("P")
R = TypeVar("R")


def closing_session(work: Callable[P, R]) -> Callable[P, R]:
    """Close a task's session on a Spark Connect server, if it has one, when the task ends."""

    @wraps(work)
    def run(*args: P.args, **named: P.kwargs) -> R:
        from pipeline.warehouse.spark import session

        try:
            return work(*args, **named)
        finally:
            if not dag_run.is_attended():
                session.close_remote()

    return run


UPKEEP = ("compact", "retain")
"""Tasks that a DAG may have after the run."""


@closing_session
def begin(family: str) -> list[str]:
    """Check the DAG run's parameters and begin the run; its id becomes XCom ``run_id``.

    family: Name of the family that the DAG runs.
    Returns: Labels of the units; mapped stages run once per unit.
    Raises AirflowFailException if a parameter is wrong: no retry, and nothing has been written.
    """
    from pipeline.engine import steps

    with dag_run.task_step("begin"):
        dag_run.prepare()
        dag_run.name_session()
        config = configuration(dag_run.params())
        _check_family(config, family)
        _check_time(config)
        dag_run.progress().total = _count(config) + dag_run.has_tasks("gate", *UPKEEP)
        paths.make_tracking_folder()
        if dag_run.is_attended():
            # The tasks that need it run in this process.
            steps.import_ahead("great_expectations", family_of(config).kernels, *steps.TRACKING)
        run_id = dag_run.new_run_id()
        for text in notes_of(config, run_id):
            progress.note(f"Note: {text}")
        ctx = steps.begin(config, dag_run.warehouse(), run_id, dag_run.owner())
    dag_run.push_run_id(ctx.run_id)
    return [unit.label for unit in config.units()]


def configuration(params: Mapping[str, Any]) -> RunConfig:
    """Parameters as the command line's options. Raises InputError, which names the parameter."""
    from pipeline.settings import own_algorithms
    from pipeline.settings.load import resolve

    sets = list(params["set"] or [])
    if params["seed"] is not None:
        sets.append(f"seed={params['seed']}")
    config_file = Path(params["config"]) if params["config"] else None
    traces = [Path(trace) for trace in params["traces"] or []]
    # An attended run has the settings of the user who started it in a terminal.
    modules = None if dag_run.is_attended() else own_algorithms.allowed_in_airflow()
    return resolve(params["preset"], config_file, sets, traces, modules)


def _check_family(config: RunConfig, family: str) -> None:
    """Raise `InputError` if a configuration file asks for the stages of another DAG."""
    own = family_of(config).name
    if own != family:
        raise InputError(
            f"`family` must be {family} in this DAG (got {own}); run the DAG {ON_DEMAND[own]} "
            "instead"
        )


def _check_time(config: RunConfig) -> None:
    """Raise `InputError` if a stage would take longer than a task may."""
    if timed := family_of(config).timed:
        load(timed)(config, schedule.time_limit("stage").total_seconds())


@closing_session
def stage(name: str, unit: str | None = None) -> None:
    """Run a stage, for one unit if it is mapped; do nothing if the run does not have it."""
    from pipeline.engine import steps

    ctx = _attach()
    if name not in {item.name for item in stages_of(ctx.config)}:
        return
    units = None if unit is None else [u for u in ctx.config.units() if u.label == unit]
    with dag_run.task_step(name if unit is None else f"{name} {unit}"):
        steps.run_stage(name, ctx, units)


@closing_session
def check(table: str) -> None:
    """Validate a table. Raises AirflowFailException if it fails: a retry would find the same."""
    from pipeline.engine import steps

    ctx = _attach()
    if table not in {name for item in stages_of(ctx.config) for name in item.writes}:
        return
    with dag_run.task_step(f"check_{table}"):
        steps.check(table, ctx)


@closing_session
def conclude() -> None:
    """Publish the run if every earlier task succeeded, else mark it failed.

    Raises AirflowFailException if the run failed, with the cause, so that the DAG run fails too.
    """
    from pipeline.engine import steps

    error = dag_run.failures()
    if dag_run.run_id() is None:
        raise AirflowFailException(f"the run did not start: {error}")
    ctx = _attach()
    with dag_run.task_step("conclude" if error else "publish"):
        steps.conclude(ctx, error)
    if error is not None:
        dag_run.leave_outcome(dag_run.FAILED, f"{error}\nRun {ctx.run_id} is not published.")
        raise AirflowFailException(error)
    # The run is published: errors in reporting it must not fail this task.
    dag_run.leave_outcome(dag_run.PUBLISHED, ctx.run_id)
    dag_run.tell_consumers(ctx)
    with dag_run.only_logged(f"run {ctx.run_id} is published, but its results cannot be displayed"):
        _show(ctx)


@closing_session
def gate() -> None:
    """Fail if results moved against the run's baseline.

    The run stays published either way. A run that has since been promoted passes, so you can then
    clear this task.

    Raises AirflowFailException if values moved and the run is not promoted: they are listed by name
        with both values, and the DAG run fails.
    """
    from pipeline.reporting.regression import comparison_text, outcome
    from pipeline.warehouse.storage import reader

    ctx = _attach()
    with dag_run.task_step("gate"):
        comparison = outcome.recorded(reader.of(ctx.paths), ctx.run_id)
    own = family_of(ctx.config)
    if not own.gated:
        dag_run.progress().say(f"\nRuns of the family {own.name} are not compared.")
        return
    text = comparison_text.listing if comparison.is_red else comparison_text.headline
    dag_run.progress().say(f"\n{text(comparison)}")
    if comparison.is_red:
        dag_run.mark(comparison_text.listing(comparison))


@closing_session
def compact() -> dict[str, int]:
    """Merge small files that the run left in the tables; return their number by table."""
    from pipeline.engine import maintenance

    ctx = _attach()
    with dag_run.task_step("compact"):
        return maintenance.compact(ctx.paths, ctx.run_id)


@closing_session
def retain() -> dict[str, list[str]]:
    """Delete old runs under the retention policy; return the run ids that lost rows."""
    from pipeline.engine import maintenance

    ctx = _attach()
    with dag_run.task_step("retain"):
        removed = maintenance.retain(ctx.paths)
    return {name: list(ids) for name, ids in removed._asdict().items()}


def _show(ctx: RunContext) -> None:
    """Print the result of the run, and where to look."""
    from rich.console import Console

    from pipeline.engine import run_end, steps
    from pipeline.reporting.tracking import tracked_page

    steps.show(ctx, Console(file=dag_run.terminal()))
    # Elsewhere it would import MLflow, and wait for a server that does not respond.
    pages = tracked_page.lines(ctx.config.preset) if dag_run.is_attended() else []
    dag_run.progress().say("\n".join(["", *run_end.where(ctx), *pages]))


def _attach() -> RunContext:
    from pipeline.engine import steps

    dag_run.prepare()
    dag_run.name_session()
    return steps.attach(dag_run.warehouse(), str(dag_run.run_id()), dag_run.owner())


def _count(config: RunConfig) -> int:
    """Number of steps shown in the progress: begin, stages by unit, checks, conclude."""
    units = len(config.units())
    stages = stages_of(config)
    return 2 + sum((units if item.mapped else 1) + len(item.writes) for item in stages)
