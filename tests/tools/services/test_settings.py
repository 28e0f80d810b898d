"""Ports, secrets and command lines: chosen by the user, private, on the loopback address."""

import configparser
import json
import socket
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tools import environment
from tools.console import SetupError
from tools.services import (
    commands,
    credentials,
    mlflow_access,
    port_checks,
    postgres,
    service_topology,
)

pytestmark = pytest.mark.unit

ENV = {"PATH": "/usr/bin:/bin", "MLFLOW_TRACKING_URI": "sqlite:///x", "HOME": "/root"}


@pytest.fixture
def made(layout):
    return commands.installation(layout, ENV, port_checks.wanted())


def test_ports_are_the_documented_ones(monkeypatch):
    monkeypatch.setenv("MLFLOW_PORT", "5999")
    ports = port_checks.wanted()
    assert ports["MLFLOW_PORT"] == 5999
    assert ports["AIRFLOW__API__PORT"] == 8080
    assert len(ports) == len(set(ports.values())) == 4


@pytest.mark.parametrize("text", ["eighty", "70000", "-1", "0", "", "５０００"])
def test_what_is_no_port_is_said(monkeypatch, text):
    monkeypatch.setenv("MLFLOW_PORT", text)
    with pytest.raises(SetupError, match=r"`MLFLOW_PORT` must be a port"):
        port_checks.wanted()


def test_two_services_on_one_port_are_refused(monkeypatch):
    monkeypatch.setenv("MLFLOW_PORT", "8080")
    with pytest.raises(SetupError, match=r"AIRFLOW__API__PORT and MLFLOW_PORT must differ .*8080"):
        port_checks.wanted()


def test_a_port_that_is_taken_names_service_and_variable():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        number = taken.getsockname()[1]
        ports = {**port_checks.wanted(), "MLFLOW_PORT": number}
        with pytest.raises(SetupError, match=f"mlflow: port {number} .* is in use .*MLFLOW_PORT="):
            port_checks.check_free(["mlflow"], ports)
        port_checks.check_free([], ports)


def test_secrets_are_random_private_and_kept(layout, tmp_path):
    first = credentials.ensure(layout)
    assert credentials.ensure(layout) == first
    assert len(set(first.values())) == len(first) >= 6
    assert all(len(value) == 44 for value in first.values())
    files = [
        layout.services / "secrets.json",
        credentials.for_postgres(layout, first, 1234),
        credentials.for_airflow(layout, first),
        Path(told_of_users(layout, first)["MLFLOW_AUTH_CONFIG_PATH"]),
        layout.services / "mlflow-password",
    ]
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 5
    assert json.loads(files[2].read_text()) == {"admin": first["airflow-admin"]}
    assert files[4].read_text() == f"{first['mlflow-admin']}\n"
    lines = files[1].read_text().splitlines()
    assert lines[0] == f"127.0.0.1:1234:airflow:airflow:{first['postgres-airflow']}"


def told_of_users(layout, secrets):
    return credentials.for_mlflow(layout, secrets, layout.services / "mlflow", "sqlite:////100%/x")


def test_mlflow_lets_nobody_do_anything_without_a_password(layout):
    secrets = credentials.ensure(layout)
    message = told_of_users(layout, secrets)
    users = configparser.ConfigParser()
    users.read(message["MLFLOW_AUTH_CONFIG_PATH"])
    auth = dict(users["mlflow"])
    assert auth["default_permission"] == "NO_PERMISSIONS"
    assert auth["database_uri"] == "sqlite:////100%/x"
    assert (auth["admin_username"], auth["admin_password"]) == ("admin", secrets["mlflow-admin"])
    module, function = auth["authorization_function"].split(":")
    assert (module, function) == ("tools.services.mlflow_access", mlflow_access.authorize.__name__)
    assert message["MLFLOW_FLASK_SERVER_SECRET_KEY"] == secrets["mlflow-pages"]


def test_secrets_are_written_by_two_at_the_same_moment(layout, monkeypatch):
    """Both tasks of the migration write the passwords of the databases."""
    secrets = credentials.ensure(layout)
    both = threading.Barrier(2, timeout=10)
    replace = Path.replace

    def meet(draft, target):
        both.wait()
        return replace(draft, target)

    monkeypatch.setattr(Path, "replace", meet)
    with ThreadPoolExecutor(2) as pool:
        jobs = [pool.submit(credentials.for_postgres, layout, secrets, 1234) for _ in range(2)]
        (file,) = {job.result() for job in jobs}
    assert len(file.read_text().splitlines()) == 2
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert [other.name for other in file.parent.glob("pgpass*")] == ["pgpass"]


@pytest.fixture
def server(tmp_path, program, monkeypatch):
    """A PostgreSQL that says its version, alone on the PATH."""

    def install(version):
        program(tmp_path / "bin" / "initdb", "")
        program(tmp_path / "bin" / "postgres", f"echo 'postgres (PostgreSQL) {version}.1 (X)'")
        monkeypatch.setenv("PATH", f"{tmp_path}/bin:/bin")
        monkeypatch.setattr(postgres, "DEBIAN", tmp_path / "debian")
        return tmp_path / "bin"

    return install


@pytest.fixture
def usual(server):
    return server(15)


@pytest.mark.parametrize("name", service_topology.BY_NAME)
def test_no_secret_is_on_a_command_line(made, usual, name):
    line = " ".join(made.command(name))
    assert [secret for secret in made.secrets.values() if secret in line] == []


@pytest.mark.parametrize("name", service_topology.BY_NAME)
def test_everything_is_told_to_listen_on_the_loopback_address(made, usual, name):
    words = made.command(name)
    if name == "postgres":
        assert "listen_addresses=127.0.0.1" in words
        assert "unix_socket_directories=" in words
    elif name == "spark-connect":
        env = made.environment(name)
        assert env["SPARK_LOCAL_IP"] == "127.0.0.1"
        assert "GROUPSCALE_CONNECT_HOST" not in env  # its default is the loopback address
    elif service_topology.BY_NAME[name].ports:
        assert words[words.index("--host") + 1] == "127.0.0.1"
    elif name != "airflow-dag-processor":
        assert "--skip-serve-logs" in words


def test_services_get_the_secrets_that_they_need(made):
    def secrets_of(name):
        values = " ".join(made.environment(name).values())
        return {key for key, secret in made.secrets.items() if secret in values}

    assert secrets_of("postgres") == set()
    assert secrets_of("spark-connect") == {"spark-connect"}
    assert secrets_of("mlflow") == {"mlflow-pages"}
    # The others are in files: the databases' passwords and those of the pages.
    for name in ("airflow-api-server", "airflow-dag-processor", "airflow-triggerer"):
        assert secrets_of(name) == {"airflow-api", "airflow-fernet"}
    # It starts the tasks, which use Spark and track runs.
    own = {"airflow-api", "airflow-fernet", "mlflow-admin", "spark-connect"}
    assert secrets_of("airflow-scheduler") == own


@pytest.mark.parametrize("name", service_topology.BY_NAME)
def test_where_the_user_tracks_to_is_no_service_s_concern(layout, name):
    theirs = {"URI": "http://x", "USERNAME": "me", "PASSWORD": SECRET, "TOKEN": SECRET}
    env = ENV | {f"MLFLOW_TRACKING_{key}": value for key, value in theirs.items()}
    variables = commands.installation(layout, env, port_checks.wanted()).environment(name)
    assert set(variables.values()).isdisjoint(theirs.values())


def test_mlflow_asks_for_a_password(made):
    words = made.command("mlflow")
    assert words[words.index("--app-name") + 1] == "basic-auth"
    env = made.environment("mlflow")
    users = Path(env["MLFLOW_AUTH_CONFIG_PATH"]).read_text()
    # Next to the runs: one backup has both.
    assert "database_uri = postgresql+psycopg2://mlflow@127.0.0.1:15432/mlflow\n" in users
    assert env["MLFLOW_ENABLE_AI_GATEWAY"] == "false"


def test_hosts_that_are_none_are_said(layout):
    with pytest.raises(SetupError, match=r"`GROUPSCALE_ALLOWED_HOSTS` .*'\*'"):
        commands.installation(layout, ENV | {"GROUPSCALE_ALLOWED_HOSTS": "*"}, port_checks.wanted())


SECRET = "of the operator"


@pytest.fixture
def operators(layout, monkeypatch):
    """An installation with the whole environment, in which the operator has secrets as well."""
    for name in ("AIRFLOW_CONN_MINE", "AIRFLOW__CORE__FERNET_KEY", "PGPASSWORD", "PGOPTIONS"):
        monkeypatch.setenv(name, SECRET)
    return commands.installation(layout, environment.variables(layout), port_checks.wanted())


@pytest.mark.parametrize("name", ["postgres", "mlflow", "spark-connect"])
def test_secrets_of_airflow_are_airflows_alone(operators, name):
    variables = operators.environment(name)
    values = " ".join(variables.values())
    assert (operators.layout.airflow / "jwt-secret").read_text() not in values
    assert SECRET not in values
    assert [variable for variable in variables if variable.startswith("AIRFLOW_")] == []


@pytest.mark.parametrize("name", ["mlflow", "airflow-scheduler"])
def test_the_operators_own_access_to_databases_is_not_that_of_the_services(operators, name):
    variables = operators.environment(name)
    assert [variable for variable in variables if variable.startswith("PG")] == ["PGPASSFILE"]


def test_airflow_has_its_own_secrets_and_connections(operators):
    variables = operators.environment("airflow-scheduler")
    assert variables["AIRFLOW_CONN_MINE"] == SECRET
    assert variables["AIRFLOW__CORE__FERNET_KEY"] == operators.secrets["airflow-fernet"]
    secret = (operators.layout.airflow / "jwt-secret").read_text()
    assert variables["AIRFLOW__API_AUTH__JWT_SECRET"] == secret


def test_tasks_find_the_services(made):
    env = made.environment("airflow-scheduler")
    assert env["MLFLOW_TRACKING_URI"] == "http://127.0.0.1:5000"
    assert env["GROUPSCALE_SPARK_REMOTE"] == "sc://127.0.0.1:15002"
    assert env["AIRFLOW__CORE__EXECUTOR"] == "LocalExecutor"
    assert env["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS"] == "False"
    uri = env["AIRFLOW__DATABASE__SQL_ALCHEMY_CONN"]
    assert uri == "postgresql+psycopg2://airflow@127.0.0.1:15432/airflow"
    assert env["AIRFLOW__API__BASE_URL"] == "http://127.0.0.1:8080"


def test_settings_and_master_of_the_user_are_those_of_the_server(layout):
    theirs = {"GROUPSCALE_SPARK_CONF": '{"spark.executor.memory": "9g"}'}
    theirs["GROUPSCALE_SPARK_MASTER"] = "spark://head:7077"
    made = commands.installation(layout, ENV | theirs, port_checks.wanted())
    assert made.environment("spark-connect").items() >= theirs.items()


@pytest.mark.parametrize("text", ['{"spark.hadoop.fs.s3a.secret.key": "hunter2"', '["hunter2"]'])
def test_wrong_settings_for_spark_are_said_but_not_shown(layout, text):
    env = ENV | {"GROUPSCALE_SPARK_CONF": text}
    with pytest.raises(SetupError, match="`GROUPSCALE_SPARK_CONF`") as caught:
        commands.installation(layout, env, port_checks.wanted())
    assert "hunter2" not in str(caught.value)


def test_a_supported_postgresql_is_found(layout, server):
    folder = server(16)
    assert postgres.programs(layout) == folder


@pytest.mark.parametrize("version", [12, 99])
def test_another_postgresql_is_not_taken(layout, server, version):
    server(version)
    with pytest.raises(SetupError, match="PostgreSQL 13 to 17 not found"):
        postgres.programs(layout)


@pytest.fixture
def cluster(layout, monkeypatch, tmp_path):
    """Databases that PostgreSQL 15 has made."""
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "PG_VERSION").write_text("15\n")
    (folder / postgres.COMPLETE).touch()
    monkeypatch.setenv("GROUPSCALE_POSTGRES_DATA", str(folder))
    return folder


def test_databases_are_served_by_the_version_that_made_them(layout, server, cluster, program):
    server(16)
    other = postgres.DEBIAN / "15" / "bin"
    program(other / "initdb", "")
    program(other / "postgres", "echo 'postgres (PostgreSQL) 15.2 (X)'")
    assert postgres.programs(layout) == other


def test_where_that_version_is_gone_both_are_named(layout, server, cluster):
    server(16)
    said = r"databases in .*data need PostgreSQL 15 .installed: 16."
    with pytest.raises(SetupError, match=said):
        postgres.programs(layout)


def test_a_folder_of_something_else_is_not_touched(layout, monkeypatch, tmp_path):
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "PG_VERSION").write_text("15")
    monkeypatch.setenv("GROUPSCALE_POSTGRES_DATA", str(folder))
    with pytest.raises(SetupError, match="choose another"):
        postgres.make(layout, {}, {})
    assert (folder / "PG_VERSION").read_text() == "15"


def test_databases_that_are_not_made_in_time_are_said(layout, server, program, monkeypatch):
    program(server(15) / "initdb", "exec sleep 60")
    monkeypatch.setattr(postgres, "LIMIT_SECONDS", 0.2)
    monkeypatch.setattr(postgres, "user", lambda: None)
    with pytest.raises(SetupError, match=r"cannot create the databases in .*timed out"):
        postgres.make(layout, {}, {"PATH": "/bin"})


def test_the_database_is_where_its_user_can_get(layout, monkeypatch):
    monkeypatch.setattr(postgres, "user", lambda: "nobody")
    layout.root.parent.chmod(0o700)
    assert str(postgres.data_folder(layout)).startswith("/var/lib/groupscale-")
    # One that is there already is never left for an empty one.
    made = layout.services / "postgres" / postgres.COMPLETE
    made.parent.mkdir(parents=True)
    made.touch()
    assert postgres.data_folder(layout) == made.parent
    monkeypatch.setattr(postgres, "user", lambda: None)
    assert postgres.data_folder(layout) == layout.services / "postgres"
