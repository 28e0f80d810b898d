"""Scripts of the containers: secrets are random, private, and never placeholders."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

from tools.layout import here
from tools.services import compose_file, mlflow_access

pytestmark = pytest.mark.unit

DOCKER = here().root / "docker"


def settings(text: str) -> dict[str, str]:
    """Variables of an env file."""
    lines = (line for line in text.splitlines() if line and not line.startswith("#"))
    return dict(line.split("=", 1) for line in lines)


def test_a_new_env_file_is_private_and_never_replaced(tmp_path: Path) -> None:
    target = tmp_path / "env"
    command = ["sh", str(DOCKER / "new-env.sh"), str(target)]
    subprocess.run(command, check=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    example, text = settings(compose_file.files()[".env.example"]), target.read_text()
    assert settings(text).keys() == example.keys()
    secret = [settings(text)[name] for name, value in example.items() if value == "change-me"]
    assert len(set(secret)) == len(secret) == 10
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}=", value) for value in secret)
    assert subprocess.run(command, capture_output=True).returncode == 1
    assert target.read_text() == text


@pytest.mark.parametrize("script", ["entrypoint.sh", "postgres-start.sh"])
def test_nothing_starts_with_a_placeholder(script: str) -> None:
    env = {"PATH": os.environ["PATH"], "SPARK_CONNECT_TOKEN": "change-me"}
    command = ["sh", str(DOCKER / script), "echo", "started"]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "run docker/new-env.sh" in done.stderr


def test_secrets_that_are_read_from_files_get_into_private_ones(tmp_path: Path) -> None:
    passwords, users = tmp_path / "passwords.json", tmp_path / "users.ini"
    env = {
        "PATH": os.environ["PATH"],
        "AIRFLOW_ADMIN_PASSWORD": 'a "quoted" one',
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(passwords),
        "PYTHONPATH": str(here().root),
        "MLFLOW_ADMIN_PASSWORD": "as quoted",
        "MLFLOW_BACKEND_STORE_URI": "postgresql://mlflow@postgres/mlflow",
        "MLFLOW_AUTH_CONFIG_PATH": str(users),
    }
    command = ["sh", str(DOCKER / "entrypoint.sh"), "env"]
    output = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert json.loads(passwords.read_text()) == {"admin": 'a "quoted" one'}
    expected = mlflow_access.users(env["MLFLOW_BACKEND_STORE_URI"], "as quoted")
    assert users.read_text().strip() == expected.strip()
    assert [stat.S_IMODE(file.stat().st_mode) for file in (passwords, users)] == [0o600] * 2
    assert "quoted" not in output
