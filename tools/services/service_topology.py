"""The services of a nightly installation: names, ports, versions, health, settings.

`make up` starts processes from it, and `docker/compose.yaml` is rendered from it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

HOST = "127.0.0.1"
AIRFLOW_PORT, MLFLOW_PORT = 8080, 5000
POSTGRES_PORT = 5432
"""PostgreSQL's default port, for its container; on a machine another server may use that port."""

POSTGRES_IMAGE, PYTHON_IMAGE = "postgres:15.18-bookworm", "python:3.11.13-slim-bookworm"
POSTGRES_SUPPORTED = range(13, 18)
"""Major versions of PostgreSQL that Airflow's metadata database may have."""

DATABASES = ("airflow", "mlflow")
"""Databases; each belongs to a role of the same name, which cannot access the others."""

ADMIN = "admin"
"""The only user of Airflow's web page, and of MLflow's."""

WITH_USERS = ("--app-name", "basic-auth")
"""Options of MLflow's server; without them it requires no password."""

PLUGINS = Path("tools") / "airflow_plugins"
"""Folder below the root that Airflow loads plugins from."""

OPERATOR = {
    "AIRFLOW__CORE__PARALLELISM": "4",
    "AIRFLOW__API__WORKERS": "1",
    "AIRFLOW__LOGGING__NAMESPACE_LEVELS": "airflow.sdk.api.client=CRITICAL",
    "AIRFLOW_CONN_GROUPSCALE_ALERTS": "",
    "GROUPSCALE_ALLOWED_HOSTS": "",
    "GROUPSCALE_NIGHTLY_SCHEDULE": "0 1 * * *",
    "GROUPSCALE_NIGHTLY_PRESET": "nightly",
    "GROUPSCALE_DEADLINE_HOURS": "3",
    "GROUPSCALE_TIME_LIMIT_FACTOR": "1",
    "GROUPSCALE_KEEP_BULKY": "14",
    "GROUPSCALE_KEEP_RUNS": "400",
    "GROUPSCALE_MLFLOW_PATIENCE": "120",
}
"""Settings of operators for Airflow and the nightly run, with defaults; the same everywhere.

Airflow treats an empty connection as none. Defaults of the pipeline's own variables equal those of
the pipeline; a test compares them.
"""


@dataclass(frozen=True)
class Port:
    """A port that a service listens on."""

    number: int
    variable: str
    """Environment variable that chooses another number."""
    is_page: bool = False
    """Whether people open it in a browser; Docker publishes no others."""


@dataclass(frozen=True)
class Health:
    """How to check the health of a service."""

    kind: str
    """``postgres``: it accepts connections; ``page``: ``path`` responds; ``grpc``: it answers the
    beginning of an HTTP/2 connection; ``heartbeat``: the API server ``of`` has had a heartbeat
    of the component ``path`` since its start."""
    path: str = ""
    of: str | None = None
    """The service to query, None for itself."""


@dataclass(frozen=True)
class Service:
    """One service; `SERVICES` has them in the order in which they start."""

    name: str
    health: Health
    ports: tuple[Port, ...] = ()
    """Other services use the first one; the health check uses the last one."""
    needs: tuple[str, ...] = ()
    """Services that must be healthy before this one starts."""

    @property
    def page(self) -> Port | None:
        """The port of its web page, if it has one."""
        return next((port for port in self.ports if port.is_page), None)


def _airflow(name: str, component: str) -> Service:
    health = Health("heartbeat", component, of="airflow-api-server")
    return Service(f"airflow-{name}", health, needs=("postgres", "airflow-api-server"))


SERVICES = (
    Service("postgres", Health("postgres"), (Port(15432, "GROUPSCALE_POSTGRES_PORT"),)),
    Service(
        "mlflow",
        Health("page", "/health"),
        (Port(MLFLOW_PORT, "MLFLOW_PORT", is_page=True),),
        needs=("postgres",),
    ),
    Service("spark-connect", Health("grpc"), (Port(15002, "GROUPSCALE_CONNECT_PORT"),)),
    Service(
        "airflow-api-server",
        Health("page", "/api/v2/monitor/health"),
        (Port(AIRFLOW_PORT, "AIRFLOW__API__PORT", is_page=True),),
        needs=("postgres",),
    ),
    _airflow("scheduler", "scheduler"),
    _airflow("dag-processor", "dag_processor"),
    _airflow("triggerer", "triggerer"),
)

BY_NAME = {service.name: service for service in SERVICES}


@dataclass(frozen=True)
class Hosts:
    """Addresses of the services for each other: ``host:port``."""

    postgres: str
    mlflow: str
    spark_connect: str
    airflow: str

    @classmethod
    def on_this_machine(cls, ports: Mapping[str, int]) -> Hosts:
        """All on the loopback address, on the given ports (number by variable)."""
        return cls._at(lambda name, port: (HOST, ports[port.variable]))

    @classmethod
    def in_compose(cls) -> Hosts:
        """Addresses inside Docker Compose's network."""
        return cls._at(in_compose)

    @classmethod
    def _at(cls, address: Callable[[str, Port], tuple[str, int]]) -> Hosts:
        def at(name: str) -> str:
            host, number = address(name, BY_NAME[name].ports[0])
            return f"{host}:{number}"

        return cls(
            postgres=at("postgres"),
            mlflow=at("mlflow"),
            spark_connect=at("spark-connect"),
            airflow=at("airflow-api-server"),
        )


def in_compose(name: str, port: Port) -> tuple[str, int]:
    """Host and port of a service inside Docker Compose's network."""
    return name, POSTGRES_PORT if name == "postgres" else port.number


def module_command(name: str, host: str, port: int, artifacts: str) -> tuple[str, ...]:
    """Python module of a service, other than PostgreSQL, with its arguments.

    host, port: Where MLflow and Airflow's API server listen; others read theirs from variables.
    artifacts: Folder of MLflow's artifacts.
    """
    listen = ("--host", host, "--port", str(port))
    options = ("--workers", "1", "--artifacts-destination", artifacts, *WITH_USERS)
    return {
        "mlflow": ("mlflow", "server", *listen, *options),
        "spark-connect": ("pipeline.engine.connect_server",),
        "airflow-api-server": ("airflow", "api-server", *listen),
        # Airflow would also serve logs beyond the loopback address; the pages read the files.
        "airflow-scheduler": ("pipeline.orchestration.warm_scheduler", "--skip-serve-logs"),
        "airflow-dag-processor": ("airflow", "dag-processor"),
        "airflow-triggerer": ("airflow", "triggerer", "--skip-serve-logs"),
    }[name]


def database_uri(name: str, hosts: Hosts) -> str:
    """Address of a database, without the password, which comes from libpq's own variables."""
    return f"postgresql+psycopg2://{name}@{hosts.postgres}/{name}"


def airflow_settings(hosts: Hosts) -> dict[str, str]:
    """Variables of this installation's Airflow on any machine; no secrets."""
    return {
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "False",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"{ADMIN}:admin",
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://{hosts.airflow}/execution/",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": database_uri("airflow", hosts),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_ASYNC": database_uri("airflow", hosts).replace(
            "psycopg2", "asyncpg"
        ),
    }


def pipeline_settings(hosts: Hosts) -> dict[str, str]:
    """Addresses of Spark and MLflow for the pipeline under that Airflow."""
    return {
        "MLFLOW_TRACKING_URI": f"http://{hosts.mlflow}",
        "GROUPSCALE_SPARK_REMOTE": f"sc://{hosts.spark_connect}",
    }


WITHOUT_LANGUAGE_MODELS = {
    # Background jobs evaluate language models: seven processes that are not needed here.
    "MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false",
    # The gateway sends requests to language models, at any address that a user gives.
    "MLFLOW_ENABLE_AI_GATEWAY": "false",
}
"""Settings of MLflow's server."""


def mlflow_settings(hosts: Hosts) -> dict[str, str]:
    """Variables of MLflow's server, which serves its own artifacts."""
    return {
        "MLFLOW_BACKEND_STORE_URI": database_uri("mlflow", hosts),
        "MLFLOW_SERVE_ARTIFACTS": "true",
        **WITHOUT_LANGUAGE_MODELS,
    }
