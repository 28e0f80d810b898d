"""Command line and environment of each service on this machine."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pipeline.base.errors import InputError
from pipeline.warehouse.spark import given_settings
from tools.console import SetupError, words
from tools.layout import Layout
from tools.services import credentials, postgres
from tools.services.port_checks import check_hosts
from tools.services.service_topology import (
    BY_NAME,
    HOST,
    Hosts,
    airflow_settings,
    database_uri,
    mlflow_settings,
    module_command,
    pipeline_settings,
)

TASKS = "airflow-scheduler"
"""The service that runs the tasks."""

FOREIGN = re.compile(r"PG[A-Z]+|MLFLOW_TRACKING_[A-Z_]+")
"""Variables of PostgreSQL's and MLflow's clients."""


@dataclass(frozen=True)
class Installation:
    """Settings that the services of this machine share."""

    layout: Layout
    base: Mapping[str, str]
    ports: Mapping[str, int]
    """Every port by the variable that chooses it."""
    secrets: Mapping[str, str]

    @property
    def hosts(self) -> Hosts:
        """Addresses at which the services reach each other."""
        return Hosts.on_this_machine(self.ports)

    def command(self, name: str) -> list[str]:
        """Command line of a service; contains no secrets, since any user can read it."""
        if name == "postgres":
            return postgres.command(self.layout, self.ports["GROUPSCALE_POSTGRES_PORT"])
        port = next((self.ports[each.variable] for each in BY_NAME[name].ports), 0)
        artifacts = str(self.layout.services / "mlflow" / "artifacts")
        return words(self.layout.python, "-m", *module_command(name, HOST, port, artifacts))

    def environment(self, name: str) -> dict[str, str]:
        """Environment of a service, with only the secrets that it needs."""
        if name == "postgres":
            return {key: self.base[key] for key in ("PATH", "LANG", "TZ") if key in self.base}
        # Only Airflow gets its connections and keys, including the user's: Python workers can read
        # the environment of Spark.
        others = {n: v for n, v in self.base.items() if not n.startswith("AIRFLOW_")}
        if name == "mlflow":
            return others | mlflow_settings(self.hosts) | self._users() | self._database()
        token = credentials.for_spark(self.secrets)
        if name == "spark-connect":
            port = "GROUPSCALE_CONNECT_PORT"
            return {**others, **token, "SPARK_LOCAL_IP": HOST, port: str(self.ports[port])}
        # The scheduler's children are the tasks.
        client = token | credentials.for_mlflow_client(self.secrets) if name == TASKS else {}
        return {**self.base, **self._airflow(), **client, **self._database()}

    def folder(self, name: str) -> Path:
        """Folder in which a service is started."""
        own = self.layout.services / name
        return postgres.data_folder(self.layout) if name == "postgres" else own

    def _airflow(self) -> dict[str, str]:
        passwords = credentials.for_airflow(self.layout, self.secrets)
        return {
            **airflow_settings(self.hosts),
            **pipeline_settings(self.hosts),
            "AIRFLOW__CORE__FERNET_KEY": self.secrets[credentials.FERNET],
            "AIRFLOW__API__SECRET_KEY": self.secrets["airflow-api"],
            "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        }

    def _users(self) -> dict[str, str]:
        folder, database = self.folder("mlflow"), database_uri("mlflow", self.hosts)
        return credentials.for_mlflow(self.layout, self.secrets, folder, database)

    def _database(self) -> dict[str, str]:
        port = self.ports["GROUPSCALE_POSTGRES_PORT"]
        return {"PGPASSFILE": str(credentials.for_postgres(self.layout, self.secrets, port))}


def installation(layout: Layout, env: Mapping[str, str], ports: Mapping[str, int]) -> Installation:
    """What `make up` starts here, with secrets made where there are none."""
    check_hosts(env)
    try:
        given_settings.given(env)
    except InputError as error:
        raise SetupError(str(error)) from error
    api = f"http://{HOST}:{ports['AIRFLOW__API__PORT']}"
    base = {
        # Leave out libpq's variables, which take precedence over the file of passwords, and the
        # tracking URI and password of the user's command line.
        **{name: value for name, value in env.items() if not FOREIGN.fullmatch(name)},
        # Python workers only find the pipeline through this.
        "PYTHONPATH": str(layout.root),
        "AIRFLOW__API__BASE_URL": api,
        "AIRFLOW__API__PORT": str(ports["AIRFLOW__API__PORT"]),
    }
    return Installation(layout, base, ports, credentials.ensure(layout))
