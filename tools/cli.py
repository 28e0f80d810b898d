"""Command line of the repository's tools; each command makes sure that set-up is done."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.orchestration import dag_names
from tools import layout, run_dag
from tools.console import CommandFailed, SetupError, say
from tools.layout import Layout
from tools.services import command_environment, lifecycle, serve
from tools.setup import all_steps, package_audit, requirements_lock

GIVEN = {
    "GROUPSCALE_RUN_DAG": "--dag",
    "GROUPSCALE_RUN_PRESET": "--preset",
    "GROUPSCALE_RUN_CONFIG": "--config",
    "GROUPSCALE_RUN_WAREHOUSE": "--warehouse",
    "GROUPSCALE_RUN_RUN_ID": "--run-id",
}
"""Options of `run` by the variables that `make run` passes them in."""

GIVEN_WORDS = {"GROUPSCALE_RUN_SET": "--set", "GROUPSCALE_RUN_TRACES": "--trace"}
"""Those that occur once for each word."""


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit status."""
    defaults = options_of(os.environ) if list(arguments[:1]) == ["run"] else []
    # Options of the command line come last, so they take precedence.
    options = _parser().parse_args([*arguments[:1], *defaults, *arguments[1:]])
    try:
        return _perform(options)
    except (SetupError, CommandFailed) as error:
        say(f"groupscale: {error}")
        return 1
    except KeyboardInterrupt:
        say("\ngroupscale: interrupted; run the command again to continue")
        return run_dag.INTERRUPTED


def options_of(env: Mapping[str, str]) -> list[str]:
    """Options of `run` that `make run` has passed in the environment, each in one word."""
    one = [f"{option}={env[name]}" for name, option in GIVEN.items() if env.get(name)]
    many = [
        f"{option}={word}"
        for name, option in GIVEN_WORDS.items()
        for word in env.get(name, "").split()
    ]
    return one + many


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python3 -m tools", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("setup", help="install everything into the repository")
    commands.add_parser("airflow", help="start Airflow's scheduler and web page")
    commands.add_parser("mlflow", help="start MLflow's web page")
    commands.add_parser("up", help="start all services in the background")
    commands.add_parser("down", help="stop the services that `up` started")
    commands.add_parser("status", help="show the services; exit with 1 unless all are healthy")
    commands.add_parser(
        "audit", help="check installed packages for changes and known vulnerabilities"
    )
    commands.add_parser("lock", help="resolve requirements/*.in again")
    inside = commands.add_parser("exec", help="run a program of the virtual environment")
    inside.add_argument("words", nargs=argparse.REMAINDER)
    _add_run(commands.add_parser("run", help="run a DAG through Airflow"))
    return parser


def _add_run(command: argparse.ArgumentParser) -> None:
    command.add_argument("--dag", choices=[*dag_names.ALL], default=run_dag.BENCHMARK)
    command.add_argument("--preset")
    command.add_argument("--config", type=Path)
    command.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    command.add_argument("--trace", action="append", default=[], type=Path)
    command.add_argument("--warehouse", type=Path)
    command.add_argument("--run-id")


def _perform(options: argparse.Namespace) -> int:
    place = layout.here()
    if options.command == "status":
        return 0 if lifecycle.status(place) else 1
    if options.command == "down":
        lifecycle.down(place)
        return 0
    env = all_steps.ensure(place)
    if options.command == "run":
        env = command_environment.with_mlflow(place, env)
        return run_dag.benchmark(place, env, parameters(options), options.dag)
    if options.command == "exec":
        _become(place, env, options.words)
    if options.command == "lock":
        requirements_lock.resolve(place)
    elif options.command == "up":
        lifecycle.up(place, env)
    elif options.command == "audit":
        package_audit.run(place, env)
    elif options.command == "airflow":
        serve.airflow(place, env)
    elif options.command == "mlflow":
        serve.mlflow(place, env)
    return 0


def _become(place: Layout, env: Mapping[str, str], words: Sequence[str]) -> None:
    """Replace this process by a program of the virtual environment."""
    if not words:
        raise SetupError("exec: a program is required, such as `exec groupscale --help`")
    name, *rest = words
    program = place.venv / "bin" / name
    if not program.is_file():
        raise SetupError(f"exec: {name!r} is not a program of the virtual environment {place.venv}")
    os.execve(program, [str(program), *rest], command_environment.environment(place, env, name))


def parameters(options: argparse.Namespace) -> dict[str, object]:
    """Parameters of the DAG that differ from its defaults; files by absolute path."""
    values = {
        "config": str(options.config.absolute()) if options.config else None,
        "set": options.set,
        "traces": [str(trace.absolute()) for trace in options.trace],
        "warehouse": str(options.warehouse.absolute()) if options.warehouse else None,
        "run_id": options.run_id,
    }
    parameters = {name: value for name, value in values.items() if value}
    if options.preset or options.config:
        # The default preset must not override the one that a file names.
        parameters["preset"] = options.preset
    return parameters
