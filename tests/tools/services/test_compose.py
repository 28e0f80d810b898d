"""`docker/compose.yaml` is what `make up` starts, and publishes nothing beyond this machine."""

import os
import re
import shlex
import shutil
import stat
import subprocess

import pytest
import yaml

from pipeline.engine import retention_policy
from pipeline.orchestration import schedule, web_origins
from pipeline.reporting.tracking import retry
from tools import environment
from tools.layout import here
from tools.services import credentials, migrations, mlflow_access, service_topology
from tools.services.service_topology import (
    AIRFLOW_PORT,
    MLFLOW_PORT,
    POSTGRES_PORT,
    SERVICES,
    Hosts,
)

pytestmark = pytest.mark.unit

DOCKER = here().root / "docker"
VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}")
ONE_OFF = "migrate"

IN_COMPOSE = Hosts(
    postgres=f"postgres:{POSTGRES_PORT}",
    mlflow=f"mlflow:{MLFLOW_PORT}",
    spark_connect="spark-connect:15002",
    airflow=f"airflow-api-server:{AIRFLOW_PORT}",
)


def example():
    lines = (DOCKER / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


@pytest.fixture(scope="module")
def compose():
    """The file, with variables filled in from the example."""
    text = (DOCKER / "compose.yaml").read_text()
    given = example()
    return yaml.safe_load(VARIABLE.sub(lambda m: given.get(m[1], m[2] or ""), text))


@pytest.fixture(params=[service.name for service in SERVICES])
def pair(request, compose):
    """A service of the topology, and what Compose says of it."""
    return service_topology.BY_NAME[request.param], compose["services"][request.param]


def test_services_are_those_of_make_up(compose):
    assert set(compose["services"]) == {*service_topology.BY_NAME, ONE_OFF}


def test_the_databases_and_the_pool_are_made_before_airflow_starts(compose):
    made = compose["services"][ONE_OFF]
    assert made["command"] == ["python", "-m", migrations.__name__]
    first = compose["services"]["airflow-api-server"]
    assert first["depends_on"][ONE_OFF] == {"condition": "service_completed_successfully"}


def test_pages_are_published_on_the_loopback_address_and_nothing_else(pair):
    service, found = pair
    expected = [f"127.0.0.1:{p.number}:{p.number}" for p in service.ports if p.is_page]
    assert found.get("ports", []) == expected


def test_variables_of_the_ports_are_those_of_make_up():
    text = (DOCKER / "compose.yaml").read_text()
    for service in SERVICES:
        for port in service.ports:
            shown = f"127.0.0.1:${{{port.variable}:-{port.number}}}:{port.number}"
            assert (shown in text) == port.is_page


def test_services_listen_on_their_ports(pair):
    service, found = pair
    if service.name == "postgres":
        assert str(service_topology.POSTGRES_PORT) in found["healthcheck"]["test"]
    elif service.ports and service.name != "spark-connect":
        words = [str(word) for word in found["command"]]
        given = [words[i + 1] for i, word in enumerate(words) if word in ("--port", "--webui-port")]
        assert given == [str(port.number) for port in service.ports]


def test_health_is_asked_as_make_up_asks(pair):
    service, found = pair
    check = found["healthcheck"]
    assert {"interval", "timeout", "retries", "start_period"} <= set(check)
    if service.name == "postgres":
        assert check["test"][:2] == ["CMD", "pg_isready"]
    else:
        assert check["test"] == ["CMD", "python", "-m", "tools.services.health", service.name]


def test_services_wait_for_what_they_need(pair):
    service, found = pair
    waits = {n for n, d in found.get("depends_on", {}).items() if n != ONE_OFF}
    assert waits == set(service.needs)
    conditions = {n: d["condition"] for n, d in found.get("depends_on", {}).items()}
    assert all(
        value == ("service_completed_successfully" if name == ONE_OFF else "service_healthy")
        for name, value in conditions.items()
    )


def test_settings_are_those_of_make_up(pair):
    service, found = pair
    expected = {}
    if service.name.startswith("airflow-"):
        expected |= service_topology.airflow_settings(IN_COMPOSE)
        expected |= service_topology.pipeline_settings(IN_COMPOSE)
    if service.name == "spark-connect":
        (port,) = service.ports
        expected |= {"GROUPSCALE_CONNECT_HOST": "0.0.0.0", port.variable: str(port.number)}
    if service.name == "mlflow":
        expected |= service_topology.mlflow_settings(IN_COMPOSE)
        assert " ".join(service_topology.WITH_USERS) in " ".join(found["command"])
    assert {n: found["environment"].get(n) for n in expected} == expected


def test_mlflow_s_password_is_the_server_s_and_the_tasks(compose):
    found = {n: s.get("environment", {}) for n, s in compose["services"].items()}
    knows = {n: {k for k in env if "MLFLOW" in k and "PASS" in k} for n, env in found.items()}
    assert {n: keys for n, keys in knows.items() if keys} == {
        "mlflow": {"MLFLOW_ADMIN_PASSWORD"},
        "airflow-scheduler": {"MLFLOW_TRACKING_PASSWORD"},
        # It makes the tables, with the password of the database.
        ONE_OFF: {"MLFLOW_DB_PASSWORD"},
        "postgres": {"MLFLOW_DB_PASSWORD"},
    }
    tasks = found["airflow-scheduler"]
    login = credentials.for_mlflow_client({credentials.MLFLOW: tasks["MLFLOW_TRACKING_PASSWORD"]})
    assert tasks.items() >= login.items()
    assert "MLFLOW_FLASK_SERVER_SECRET_KEY" in found["mlflow"]


@pytest.mark.parametrize("name", service_topology.OPERATOR)
def test_what_an_operator_may_set_is_passed_on_with_the_same_default(compose, name):
    default = service_topology.OPERATOR[name]
    text = (DOCKER / "compose.yaml").read_text()
    assert f'{name}: "${{{name}:-{default}}}"' in text
    assert example()[name] == default
    airflows = [s for s in SERVICES if s.name.startswith("airflow-")]
    for service in (*(s.name for s in airflows), ONE_OFF):
        assert compose["services"][service]["environment"][name] == default


def test_defaults_of_the_night_are_those_of_the_pipeline(monkeypatch):
    for name in service_topology.OPERATOR:
        monkeypatch.delenv(name, raising=False)
    ours = service_topology.OPERATOR
    assert ours[schedule.SCHEDULE] == schedule.DEFAULT_SCHEDULE == schedule.nightly_schedule()
    assert ours[schedule.PRESET] == schedule.nightly_preset()
    assert float(ours[schedule.DEADLINE]) == schedule.DEFAULT_DEADLINE_HOURS
    unlimited = schedule.time_limit("stage")
    monkeypatch.setenv(schedule.FACTOR, ours[schedule.FACTOR])
    assert schedule.time_limit("stage") == unlimited
    assert int(ours["GROUPSCALE_KEEP_BULKY"]) == retention_policy.Policy().bulky_runs
    assert int(ours["GROUPSCALE_KEEP_RUNS"]) == retention_policy.Policy().runs
    assert int(ours[retry.PATIENCE]) == retry.DEFAULT
    read = {schedule.SCHEDULE, schedule.PRESET, schedule.DEADLINE, schedule.FACTOR}
    read |= {retry.PATIENCE, "GROUPSCALE_KEEP_BULKY", "GROUPSCALE_KEEP_RUNS"}
    read |= {web_origins.ALLOWED_HOSTS}
    assert read == {name for name in ours if name.startswith("GROUPSCALE_")}


def test_make_up_has_the_same_defaults(layout, monkeypatch):
    env = environment.variables(layout)
    given = {n: v for n, v in service_topology.OPERATOR.items() if n.startswith("AIRFLOW__")}
    assert {name: env[name] for name in given} == given
    monkeypatch.setenv("AIRFLOW__CORE__PARALLELISM", "9")
    assert environment.variables(layout)["AIRFLOW__CORE__PARALLELISM"] == "9"


def test_airflow_loads_the_plugins_of_make_up():
    folder = f"/opt/groupscale/{service_topology.PLUGINS}"
    assert f"AIRFLOW__CORE__PLUGINS_FOLDER={folder} " in dockerfile()
    assert list((here().root / service_topology.PLUGINS).glob("groupscale_*.py"))


def test_the_token_of_spark_is_the_server_s_and_the_tasks(compose):
    (name,) = credentials.for_spark({"spark-connect": ""})
    found = {n: s.get("environment", {}).get(name) for n, s in compose["services"].items()}
    knows = {n: token for n, token in found.items() if token}
    assert set(knows) == {"spark-connect", "airflow-scheduler"}
    assert len(set(knows.values())) == 1


def test_nobody_is_root(compose):
    users = {name: str(s.get("user", "root")) for name, s in compose["services"].items()}
    assert users.pop("postgres") == "postgres"
    assert set(users.values()) == {"10001:10001"}
    assert all(s["cap_drop"] == ["ALL"] for s in compose["services"].values())
    last = [line for line in dockerfile().splitlines() if line.startswith("USER")][-1]
    assert last == "USER 10001:10001"


def dockerfile():
    return (DOCKER / "Dockerfile").read_text()


def test_logs_are_bounded(compose):
    for service in compose["services"].values():
        assert service["logging"]["options"] == {"max-size": "50m", "max-file": "2"}


def test_images_are_pinned_by_version(compose):
    assert compose["services"]["postgres"]["image"] == service_topology.POSTGRES_IMAGE
    assert f"PYTHON_IMAGE={service_topology.PYTHON_IMAGE}\n" in dockerfile()
    images = {service["image"] for service in compose["services"].values()}
    assert [image for image in images if not re.search(r":\d+\.\d+", image)] == []
    ours = compose["services"]["mlflow"]["build"]["args"]
    assert ours["PYTHON_IMAGE"] == example()["PYTHON_IMAGE"] == service_topology.PYTHON_IMAGE
    assert example()["POSTGRES_IMAGE"] == service_topology.POSTGRES_IMAGE
    text = (DOCKER / "compose.yaml").read_text()
    assert f"${{POSTGRES_IMAGE:-{service_topology.POSTGRES_IMAGE}}}" in text
    assert f"${{PYTHON_IMAGE:-{service_topology.PYTHON_IMAGE}}}" in text
    major = int(re.search(r":(\d+)\.", service_topology.POSTGRES_IMAGE)[1])
    assert major in service_topology.POSTGRES_SUPPORTED


def test_the_image_knows_the_version_of_the_code_that_is_in_it(compose):
    text = (DOCKER / "compose.yaml").read_text()
    assert 'GROUPSCALE_CODE: "${GROUPSCALE_CODE:-}"' in text
    ours = [s for s in compose["services"].values() if "build" in s]
    assert len(ours) == len(compose["services"]) - 1
    assert all("GROUPSCALE_CODE" in service["build"]["args"] for service in ours)
    lines = dockerfile().splitlines()
    named = lines.index("ARG GROUPSCALE_CODE=")
    assert lines[named + 1] == "ENV GROUPSCALE_CODE=${GROUPSCALE_CODE}"


def test_packages_of_the_system_have_a_version():
    """A build that cannot have them fails, in place of taking others."""
    (names,) = re.findall(r"--no-install-recommends ((?:\\\n|[^&])+)", dockerfile())
    packages = [word for word in names.split() if word != "\\"]
    assert packages
    assert all(re.fullmatch(r"[a-z0-9.+-]+=[0-9][\w.+:~-]*", package) for package in packages)


def test_packages_of_the_image_are_installed_by_hash():
    installs = re.findall(r"pip install (?:.|\\\n)+", dockerfile())
    with_packages = [words for words in installs if "-r requirements/" in words]
    assert len(with_packages) >= 1
    assert dockerfile().count("--require-hashes") == dockerfile().count(" -r requirements/")


def test_the_image_has_what_it_copies_and_nothing_of_this_machine():
    words = [line.split()[1:-1] for line in dockerfile().splitlines() if line.startswith("COPY")]
    sources = {source for line in words for source in line}
    assert all((here().root / source).exists() for source in sources)
    ignored = (DOCKER / "Dockerfile.dockerignore").read_text().splitlines()
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == sources


def test_data_is_in_named_volumes(compose):
    declared = set(compose["volumes"])
    mounts = [m for s in compose["services"].values() for m in s.get("volumes", [])]
    sources = {mount.split(":")[0] for mount in mounts}
    files = {source for source in sources if source.startswith("./")}
    assert sources - files == declared
    assert all((DOCKER / file).is_file() for file in files)
    shared = [
        n
        for n, s in compose["services"].items()
        if any(m.startswith("warehouse:") for m in s.get("volumes", []))
    ]
    assert {"airflow-scheduler", "spark-connect"} <= set(shared)


def test_secrets_come_from_the_env_file_alone():
    text = (DOCKER / "compose.yaml").read_text()
    secret = {name for name, value in example().items() if value == "change-me"}
    assert secret == {m[0] for m in re.findall(r"\$\{(\w+)(:\?)[^}]*\}", text)}
    named = re.compile(r"(?i)(?:password|secret|key)\w*: +(?![\s\"])")
    assert [line for line in text.splitlines() if named.search(line)] == []


def test_a_new_env_file_is_private_and_never_replaced(tmp_path):
    target = tmp_path / "env"
    command = ["sh", str(DOCKER / "new-env.sh"), str(target)]
    subprocess.run(command, check=True)
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    found = dict(
        x.split("=", 1) for x in target.read_text().splitlines() if "=" in x and x[0] != "#"
    )
    assert set(found) == set(example())
    secret = [found[name] for name, value in example().items() if value == "change-me"]
    assert len(set(secret)) == len(secret)
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{43}=", value) for value in secret)
    before = target.read_text()
    again = subprocess.run(command, capture_output=True, text=True)
    assert again.returncode == 1
    assert target.read_text() == before


@pytest.mark.parametrize("script", ["entrypoint.sh", "postgres-start.sh"])
def test_nothing_starts_with_a_placeholder(script):
    env = {"PATH": os.environ["PATH"], "SPARK_CONNECT_TOKEN": "change-me"}
    command = ["sh", str(DOCKER / script), "echo", "started"]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert "run docker/new-env.sh" in done.stderr


def test_secrets_that_are_read_from_files_get_into_private_ones(tmp_path):
    target = tmp_path / "passwords.json"
    users = tmp_path / "users.ini"
    env = {
        "PATH": os.environ["PATH"],
        "AIRFLOW_ADMIN_PASSWORD": 'a "quoted" one',
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(target),
        "PYTHONPATH": str(here().root),
        "MLFLOW_ADMIN_PASSWORD": "as quoted",
        "MLFLOW_BACKEND_STORE_URI": "postgresql://mlflow@postgres/mlflow",
        "MLFLOW_AUTH_CONFIG_PATH": str(users),
    }
    command = ["sh", str(DOCKER / "entrypoint.sh"), "env"]
    said = subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout
    assert yaml.safe_load(target.read_text()) == {"admin": 'a "quoted" one'}
    written = users.read_text().strip()
    assert written == mlflow_access.users(env["MLFLOW_BACKEND_STORE_URI"], "as quoted").strip()
    assert [stat.S_IMODE(file.stat().st_mode) for file in (target, users)] == [0o600] * 2
    assert "quoted" not in said


def composer():
    """The command of Docker Compose on this machine, version 2 or later; None without one."""
    for words in ("docker compose", "docker-compose"):
        command = shlex.split(words)
        if shutil.which(command[0]):
            ask = [*command, "version", "--short"]
            said = subprocess.run(ask, capture_output=True, text=True)
            if said.returncode == 0 and not said.stdout.startswith("1."):
                return command
    return None


needs_compose = pytest.mark.skipif(composer() is None, reason="Docker Compose is not installed")


def config(env_file, **env):
    """What `docker compose config` says, which needs no Docker."""
    files = ["-f", str(DOCKER / "compose.yaml"), "--env-file", str(env_file)]
    clean = {"PATH": os.environ["PATH"], "HOME": str(env_file.parent), **env}
    command = [*composer(), *files, "config"]
    return subprocess.run(command, env=clean, capture_output=True, text=True)


@needs_compose
def test_compose_accepts_it_and_reads_it_as_this_test_does(compose):
    done = config(DOCKER / ".env.example")
    assert (done.returncode, done.stderr) == (0, "")
    found = yaml.safe_load(done.stdout)["services"]
    assert set(found) == {*service_topology.BY_NAME, ONE_OFF}
    for name, service in compose["services"].items():
        assert found[name].get("environment", {}) == service.get("environment", {})
        ports = found[name].get("ports", [])
        shown = [f"{p['host_ip']}:{p['published']}:{p['target']}" for p in ports]
        assert shown == service.get("ports", [])


@needs_compose
def test_compose_passes_on_what_an_operator_sets():
    done = config(DOCKER / ".env.example", GROUPSCALE_DEADLINE_HOURS="7", GROUPSCALE_CODE="abc")
    found = yaml.safe_load(done.stdout)["services"]["airflow-scheduler"]
    assert found["environment"]["GROUPSCALE_DEADLINE_HOURS"] == "7"
    built = yaml.safe_load(done.stdout)["services"]["mlflow"]["build"]
    assert built["args"] == {
        "GROUPSCALE_CODE": "abc",
        "PYTHON_IMAGE": service_topology.PYTHON_IMAGE,
    }


@needs_compose
def test_compose_refuses_to_go_without_secrets(tmp_path):
    empty = tmp_path / "env"
    empty.touch()
    done = config(empty)
    assert done.returncode != 0
    assert "SPARK_CONNECT_TOKEN is missing a value: run docker/new-env.sh" in done.stderr
