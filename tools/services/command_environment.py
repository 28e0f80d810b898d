"""Which services a command uses: those of `make up`, or those of the command line."""

from __future__ import annotations

from collections.abc import Mapping

from tools.console import SetupError, say
from tools.layout import Layout
from tools.services import credentials, processes, records
from tools.services.commands import TASKS, installation
from tools.services.service_topology import HOST

AIRFLOW, DATABASE = "airflow", "postgres"
TRACKING = ("groupscale", "mlflow")
"""Programs that store runs in MLflow."""

QUIET = {"PYTHONWARNINGS": "ignore:Could not import graphviz"}
"""Each of Airflow's commands about DAGs warns of a package that is only needed to draw them."""


def environment(layout: Layout, env: Mapping[str, str], program: str) -> dict[str, str]:
    """Environment of a program of the virtual environment.

    Airflow's own commands go to the Airflow of `make up`, with its database and keys, from
    `make up` to `make down`; otherwise to that of `make airflow`. A printed line says which.
    Programs that store runs get the password of its MLflow; see `with_mlflow`. All other programs
    use ``env``: tests must not find the installation.

    Raises SetupError if the services were started but their database is no longer running: then it
        is unclear which Airflow is meant.
    """
    if program in TRACKING:
        return with_mlflow(layout, env)
    if program != AIRFLOW:
        return dict(env)
    env = QUIET | dict(env)
    recorded = records.load(layout)
    if not recorded:
        say("using the Airflow of `make airflow`: the services of `make up` are not running")
        return dict(env)
    database = recorded.get(DATABASE)
    if database is None or not processes.is_alive(database.leader):
        raise SetupError(
            "the database of `make up` is not running; start it with `make up`, or run `make down` "
            "to use the Airflow of `make airflow`"
        )
    say("using the Airflow of `make up`")
    return installation(layout, env, database.ports).environment(TASKS)


def with_mlflow(layout: Layout, env: Mapping[str, str]) -> dict[str, str]:
    """Environment with address and password of `make up`'s MLflow, where runs go while it runs.

    Unless ``env`` names another place than the command line's own database. Only while that server
    is alive: another program on its port would get the password.
    """
    record = records.load(layout).get("mlflow")
    if record is None or not processes.is_alive(record.leader):
        return dict(env)
    place = f"http://{HOST}:{record.ports['MLFLOW_PORT']}"
    asked = env.get("MLFLOW_TRACKING_URI", "").rstrip("/")
    if asked not in ("", place, f"sqlite:///{layout.mlflow / 'mlflow.db'}"):
        return dict(env)
    # The user's own password takes precedence.
    client = credentials.for_mlflow_client(credentials.ensure(layout)) | dict(env)
    return client | {"MLFLOW_TRACKING_URI": place}
