"""`docker/compose.yaml` is rendered; secrets go to their users alone, only pages are published."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tools.layout import here
from tools.services import compose_file
from tools.services.service_topology import BY_NAME, PYTHON_IMAGE

pytestmark = pytest.mark.unit

DOCKER = here().root / "docker"
COMPOSE = yaml.safe_load((DOCKER / "compose.yaml").read_text())
SERVICES = COMPOSE["services"]


def users(secret: str) -> set[str]:
    """Services whose environment has a secret."""
    environments = {name: service.get("environment", {}) for name, service in SERVICES.items()}
    return {
        name for name, each in environments.items() if f"${{{secret}:" in "".join(each.values())
    }


@pytest.mark.parametrize("name", ["compose.yaml", ".env.example"])
def test_files_are_up_to_date(name: str) -> None:
    assert (DOCKER / name).read_text() == compose_file.files()[name], (
        "it is older than the topology; run: python -m tools.services.compose_file"
    )


def test_yaml_has_what_was_rendered() -> None:
    assert compose_file.compose() == COMPOSE


def test_pages_are_published_on_the_loopback_address_and_nothing_else() -> None:
    published = {name: service["ports"] for name, service in SERVICES.items() if "ports" in service}
    assert published == {
        "mlflow": ["127.0.0.1:${MLFLOW_PORT:-5000}:5000"],
        "airflow-api-server": ["127.0.0.1:${AIRFLOW__API__PORT:-8080}:8080"],
    }


def test_tables_are_made_before_anything_uses_them() -> None:
    waits = {name: service.get("depends_on", {}) for name, service in SERVICES.items()}
    completed = {"condition": "service_completed_successfully"}
    first = {name for name, each in waits.items() if each.get(compose_file.TABLES) == completed}
    assert first == {"mlflow", "airflow-api-server"}
    others = {name for name in BY_NAME if name.startswith("airflow-")} - first
    assert all("airflow-api-server" in waits[name] for name in others)


@pytest.mark.parametrize(
    ("secret", "expected"),
    [
        ("SPARK_CONNECT_TOKEN", {"spark-connect", "airflow-scheduler"}),
        ("MLFLOW_ADMIN_PASSWORD", {"mlflow", "airflow-scheduler"}),
        ("MLFLOW_PAGES_SECRET", {"mlflow"}),
        ("MLFLOW_DB_PASSWORD", {"postgres", compose_file.TABLES, "mlflow"}),
        ("AIRFLOW_ADMIN_PASSWORD", {"airflow-api-server"}),
        ("POSTGRES_PASSWORD", {"postgres"}),
    ],
)
def test_a_secret_is_known_to_those_who_need_it(secret: str, expected: set[str]) -> None:
    assert users(secret) == expected


def test_secrets_come_from_the_env_file_alone() -> None:
    secret = re.compile(r"(?i)password|secret|token|_key$")
    values = {
        value
        for service in SERVICES.values()
        for name, value in service.get("environment", {}).items()
        if secret.search(name)
    }
    assert len(values) == 10
    assert all(re.fullmatch(r"\$\{\w+:\?run docker/new-env\.sh\}", value) for value in values)


def test_nobody_is_root_and_logs_are_bounded() -> None:
    accounts = {name: service["user"] for name, service in SERVICES.items()}
    assert accounts.pop("postgres") == "postgres"
    assert set(accounts.values()) == {"10001:10001"}
    for service in SERVICES.values():
        assert service["cap_drop"] == ["ALL"]
        assert service["logging"]["options"] == {"max-size": "50m", "max-file": "2"}


def test_data_is_in_named_volumes_or_files_of_the_folder() -> None:
    mounts = [mount for service in SERVICES.values() for mount in service.get("volumes", [])]
    sources = {mount.partition(":")[0] for mount in mounts}
    files = {source for source in sources if source.startswith("./")}
    assert sources - files == set(COMPOSE["volumes"])
    assert all((DOCKER / file).is_file() for file in files)


def composer() -> list[str] | None:
    """The command of Docker Compose on this machine, version 2 or later; None without one."""
    for words in ("docker compose", "docker-compose"):
        command = shlex.split(words)
        if shutil.which(command[0]):
            version = [*command, "version", "--short"]
            answer = subprocess.run(version, capture_output=True, text=True)
            if answer.returncode == 0 and not answer.stdout.startswith("1."):
                return command
    return None


needs_compose = pytest.mark.skipif(composer() is None, reason="Docker Compose is not installed")


def config(env_file: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `docker compose config`, which needs no Docker."""
    files = ["-f", str(DOCKER / "compose.yaml"), "--env-file", str(env_file)]
    clean = {"PATH": os.environ["PATH"], "HOME": str(env_file.parent), **env}
    command = [*(composer() or ()), *files, "config"]
    return subprocess.run(command, env=clean, capture_output=True, text=True)


@needs_compose
def test_compose_accepts_it_and_passes_on_what_an_operator_sets() -> None:
    done = config(DOCKER / ".env.example", GROUPSCALE_DEADLINE_HOURS="7", GROUPSCALE_CODE="abc")
    assert (done.returncode, done.stderr) == (0, "")
    services = yaml.safe_load(done.stdout)["services"]
    assert set(services) == set(SERVICES)
    assert services["airflow-scheduler"]["environment"]["GROUPSCALE_DEADLINE_HOURS"] == "7"
    assert services["mlflow"]["build"]["args"] == {
        "GROUPSCALE_CODE": "abc",
        "PYTHON_IMAGE": PYTHON_IMAGE,
    }


@needs_compose
def test_compose_refuses_to_go_without_secrets(tmp_path: Path) -> None:
    empty = tmp_path / "env"
    empty.touch()
    done = config(empty)
    assert done.returncode != 0
    assert "is missing a value: run docker/new-env.sh" in done.stderr
