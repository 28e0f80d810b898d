"""Which of two Airflows a command means: that of `make up`, or that of `make airflow`."""

from __future__ import annotations

from collections.abc import Mapping

from tools.console import SetupError, say
from tools.layout import Layout
from tools.up import processes, records
from tools.up.commands import installation

AIRFLOW, DATABASE, SERVICE = "airflow", "postgres", "airflow-scheduler"


def environment(layout: Layout, env: Mapping[str, str], program: str) -> dict[str, str]:
    """Environment of a program of the virtual environment.

    Airflow's own commands go to the Airflow of `make up`, with its database and keys, from
    `make up` to `make down`; otherwise to that of `make airflow`. A line tells which. All other
    programs keep to ``env``: tests must not find the installation.

    Parameters
    ----------
    env
        Environment of the repository's programs.
    program
        Name of the program, such as ``airflow``.

    Raises
    ------
    SetupError
        If the services were started, and their database runs no more: nobody can tell then
        which Airflow is meant.
    """
    if program != AIRFLOW:
        return dict(env)
    found = records.load(layout)
    if not found:
        say("Airflow of `make airflow`: the services of `make up` do not run")
        return dict(env)
    database = found.get(DATABASE)
    if database is None or not processes.is_alive(database.leader):
        raise SetupError(
            "the database of `make up` has ended: `make up` starts it again; after `make down` "
            "the command goes to the Airflow of `make airflow`"
        )
    say("Airflow of `make up`")
    return installation(layout, env, database.ports).environment(SERVICE)
