"""Docker Compose's file and its example of settings, rendered from the topology.

``python -m tools.services.compose_file`` writes both.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tools.layout import here
from tools.services import credentials
from tools.services.commands import TASKS
from tools.services.service_topology import (
    BY_NAME,
    HOST,
    OPERATOR,
    POSTGRES_IMAGE,
    POSTGRES_PORT,
    PYTHON_IMAGE,
    SERVICES,
    Hosts,
    Service,
    airflow_settings,
    database_uri,
    mlflow_settings,
    module_command,
    pipeline_settings,
)

EVERYWHERE = "0.0.0.0"
"""Services listen on all addresses of their container; Docker publishes the pages' ports only."""

HOSTS = Hosts.in_compose()
TABLES = "migrate"
"""Runs once at each start: creates the databases' tables, or updates them to the image."""

HEAD = """\
# Rendered from tools/services/service_topology.py by `python -m tools.services.compose_file`.
#
#   docker/new-env.sh                                      (once: secrets into docker/.env)
#   export GROUPSCALE_CODE=$(git describe --always --abbrev=12 --dirty=+changes)
#   docker compose -f docker/compose.yaml up --build --wait
#
# Pages are published on 127.0.0.1 alone, and nothing else is published at all.
"""

EXAMPLE = """\
# What docker/compose.yaml needs. docker/new-env.sh copies this to docker/.env, which git ignores,
# with a random secret in place of each change-me; nothing starts while one is left.
{secrets}

# Images, which a digest after the version pins for good: docs/operations.md.
PYTHON_IMAGE={python}
POSTGRES_IMAGE={postgres}

# Ports on {host} at which the pages are published.
{ports}

# Settings of the nightly run: docs/nightly.md, docs/configuration.md. These are the defaults.
# AIRFLOW_CONN_GROUPSCALE_ALERTS: where alerts go, a connection in Airflow's format such as
#   {{"conn_type": "generic", "host": "https://chat.example.com/hooks/..."}}; none while empty.
# GROUPSCALE_ALLOWED_HOSTS: names under which a proxy serves Airflow's pages, separated by commas.
{operator}
"""

LIMITS = {
    "logging": {"driver": "json-file", "options": {"max-size": "50m", "max-file": "2"}},
    "restart": "unless-stopped",
    "cap_drop": ["ALL"],
    "security_opt": ["no-new-privileges:true"],
}
OURS = {
    "image": "groupscale:0.1.0",
    "build": {
        "context": "..",
        "dockerfile": "docker/Dockerfile",
        "args": {
            "GROUPSCALE_CODE": "${GROUPSCALE_CODE:-}",
            "PYTHON_IMAGE": f"${{PYTHON_IMAGE:-{PYTHON_IMAGE}}}",
        },
    },
    "user": "10001:10001",
    "init": True,
    **LIMITS,
}
DATA = {
    "mlflow": ["mlflow:/srv/mlflow"],
    "spark-connect": ["warehouse:/srv/warehouse", "kernels:/srv/kernels"],
}
AIRFLOW_DATA = ["logs:/srv/state/logs", "warehouse:/srv/warehouse", "kernels:/srv/kernels"]


def _secret(variable: str) -> str:
    return f"${{{variable}:?run docker/new-env.sh}}"


def _healthcheck(*test: str) -> dict[str, Any]:
    times = {"interval": "10s", "timeout": "10s", "retries": 6, "start_period": "120s"}
    return {"healthcheck": {**times, "test": ["CMD", *test]}}


def _airflow_environment() -> dict[str, str]:
    (port,) = BY_NAME["airflow-api-server"].ports
    return {
        **{name: f"${{{name}:-{default}}}" for name, default in OPERATOR.items()},
        **airflow_settings(HOSTS),
        **pipeline_settings(HOSTS),
        "AIRFLOW__API__BASE_URL": f"http://{HOST}:${{{port.variable}:-{port.number}}}",
        "AIRFLOW__CORE__FERNET_KEY": _secret("AIRFLOW_FERNET_KEY"),
        "AIRFLOW__API__SECRET_KEY": _secret("AIRFLOW_API_SECRET"),
        "AIRFLOW__API_AUTH__JWT_SECRET": _secret("AIRFLOW_JWT_SECRET"),
        # libpq and asyncpg both read this; so no address has a password in it.
        "PGPASSWORD": _secret("AIRFLOW_DB_PASSWORD"),
    }


def _environment(service: Service) -> dict[str, str]:
    """Environment of a service, with only the secrets that it needs."""
    token = credentials.for_spark({"spark-connect": _secret("SPARK_CONNECT_TOKEN")})
    password = _secret("MLFLOW_ADMIN_PASSWORD")
    if service.name == "mlflow":
        return {
            **mlflow_settings(HOSTS),
            "MLFLOW_SERVER_ALLOWED_HOSTS": f"mlflow:*,localhost:*,{HOST}:*",
            "MLFLOW_ADMIN_PASSWORD": password,
            "MLFLOW_FLASK_SERVER_SECRET_KEY": _secret("MLFLOW_PAGES_SECRET"),
            "PGPASSWORD": _secret("MLFLOW_DB_PASSWORD"),
        }
    if service.name == "spark-connect":
        (port,) = service.ports
        return {"GROUPSCALE_CONNECT_HOST": EVERYWHERE, port.variable: str(port.number), **token}
    own = {}
    if service.name == "airflow-api-server":
        own = {"AIRFLOW_ADMIN_PASSWORD": _secret("AIRFLOW_ADMIN_PASSWORD")}
    elif service.name == TASKS:
        # The scheduler's children are the tasks, which track runs.
        own = credentials.for_mlflow_client({credentials.MLFLOW: password}) | token
    return _airflow_environment() | own


def _postgres() -> dict[str, Any]:
    ready = ("--quiet", "--host", HOST, "--port", str(POSTGRES_PORT), "--username", "airflow")
    return {
        "image": f"${{POSTGRES_IMAGE:-{POSTGRES_IMAGE}}}",
        "user": "postgres",
        **LIMITS,
        "entrypoint": ["sh", "/usr/local/bin/postgres-start.sh"],
        "command": ["postgres"],
        # A gigabyte is more than it needs here; Docker's default, 64 MB, is too little.
        "shm_size": "1g",
        "environment": {
            "POSTGRES_PASSWORD": _secret("POSTGRES_PASSWORD"),
            "POSTGRES_INITDB_ARGS": "--auth-host=scram-sha-256 --data-checksums",
            "AIRFLOW_DB_PASSWORD": _secret("AIRFLOW_DB_PASSWORD"),
            "MLFLOW_DB_PASSWORD": _secret("MLFLOW_DB_PASSWORD"),
        },
        "volumes": [
            "postgres:/var/lib/postgresql/data",
            "./postgres-start.sh:/usr/local/bin/postgres-start.sh:ro",
            "./postgres-init.sh:/docker-entrypoint-initdb.d/10-groupscale.sh:ro",
        ],
        **_healthcheck("pg_isready", *ready),
    }


def _tables() -> dict[str, Any]:
    databases = {
        "MLFLOW_BACKEND_STORE_URI": database_uri("mlflow", HOSTS),
        "MLFLOW_DB_PASSWORD": _secret("MLFLOW_DB_PASSWORD"),
    }
    return {
        **OURS,
        "restart": "no",
        "command": ["python", "-m", "tools.services.migrations"],
        "environment": _airflow_environment() | databases,
        "depends_on": {"postgres": {"condition": "service_healthy"}},
    }


def _service(service: Service) -> dict[str, Any]:
    port = service.ports[0].number if service.ports else 0
    pages = [
        f"{HOST}:${{{page.variable}:-{page.number}}}:{page.number}"
        for page in service.ports
        if page.is_page
    ]
    waits = {name: {"condition": "service_healthy"} for name in service.needs}
    if service.needs == ("postgres",):
        waits[TABLES] = {"condition": "service_completed_successfully"}
    return {
        **OURS,
        "command": ["python", "-m", *module_command(service.name, EVERYWHERE, port, "/srv/mlflow")],
        "environment": _environment(service),
        "volumes": DATA.get(service.name, AIRFLOW_DATA),
        **({"ports": pages} if pages else {}),
        **({"depends_on": waits} if waits else {}),
        **_healthcheck("python", "-m", "tools.services.health", service.name),
    }


def compose() -> dict[str, Any]:
    """The content of `docker/compose.yaml`."""
    services = {"postgres": _postgres(), TABLES: _tables()}
    services |= {each.name: _service(each) for each in SERVICES if each.name != "postgres"}
    mounts = (mount for service in services.values() for mount in service.get("volumes", ()))
    sources = dict.fromkeys(mount.partition(":")[0] for mount in mounts)
    volumes = {source: None for source in sources if not source.startswith(".")}
    return {"name": "groupscale", "services": services, "volumes": volumes}


def files() -> dict[str, str]:
    """Text of the rendered files by their names below ``docker/``."""
    text = HEAD + "".join(_lines(compose()))
    secrets = dict.fromkeys(re.findall(r"\$\{(\w+):\?", text))
    pages = (service.page for service in SERVICES)
    example = EXAMPLE.format(
        secrets="\n".join(f"{name}=change-me" for name in secrets),
        python=PYTHON_IMAGE,
        postgres=POSTGRES_IMAGE,
        host=HOST,
        ports="\n".join(f"{page.variable}={page.number}" for page in pages if page),
        operator="\n".join(f"{name}={default}" for name, default in OPERATOR.items()),
    )
    return {"compose.yaml": text, ".env.example": example}


def _lines(content: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    """YAML of nested mappings; lists and values are written as JSON, which is YAML."""
    for key, value in content.items():
        if isinstance(value, dict):
            yield f"{indent}{key}:\n"
            yield from _lines(value, indent + "  ")
        else:
            yield f"{indent}{key}: {json.dumps(value)}\n"


if __name__ == "__main__":
    for name, text in files().items():
        (here().root / "docker" / name).write_text(text, encoding="utf-8")
