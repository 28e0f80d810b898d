"""Addresses, and logins that nobody else sees."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.inputs.prometheus import server_access
from pipeline.inputs.prometheus.server_access import Login

pytestmark = pytest.mark.unit


def secret(folder: Path, text: str = "reader:hunter2", mode: int = 0o600) -> Path:
    file = folder / "login"
    file.write_text(text)
    file.chmod(mode)
    return file


@pytest.mark.parametrize(
    "address",
    [
        "",
        "host:9090",
        "ftp://host",
        "http://",
        "http://h:99999",
        "http://h?x=1",
        "http://h h",
        "http://h#x",
    ],
)
def test_no_address(address: str) -> None:
    with pytest.raises(InputError, match="must have the form prometheus:http://HOST:9090"):
        server_access.server(f"prometheus:{address}", None, None)


def test_an_address_may_have_a_path() -> None:
    server = server_access.server("prometheus:https://host/prometheus/", None, None)
    assert server.url == "https://host/prometheus"


def test_an_address_has_no_login() -> None:
    with pytest.raises(InputError, match="must not hold a login") as caught:
        server_access.server("prometheus:http://reader:hunter2@host:9090", None, None)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_a_login_that_others_can_read(tmp_path: Path, mode: int) -> None:
    with pytest.raises(InputError, match="others can read the file; run `chmod 600` on it"):
        server_access.read_login(secret(tmp_path, mode=mode))


@pytest.mark.parametrize(
    ("text", "login"),
    [
        ("reader:hunter2\n", Login("reader", "hunter2")),
        ("reader:a:b c", Login("reader", "a:b c")),
        ("eyJhbGciOi.x-y_z\n", Login(None, "eyJhbGciOi.x-y_z")),
        ("Bearer a:b", Login(None, "a:b")),
    ],
)
def test_forms_of_logins(tmp_path: Path, text: str, login: Login) -> None:
    assert server_access.read_login(secret(tmp_path, text)) == login


@pytest.mark.parametrize("text", ["\n", "a\nb", "two words", "tökén", "a\tb:c"])
def test_no_login(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match="--prometheus-auth") as caught:
        server_access.read_login(secret(tmp_path, text))
    assert text.strip() == "" or text not in str(caught.value)


def test_a_login_is_not_sent_in_the_clear(tmp_path: Path) -> None:
    file = secret(tmp_path)
    for host in ("localhost:9090", "127.0.0.1", "[::1]:9090"):
        assert server_access.server(f"prometheus:http://{host}", file, None).login is not None
    for host in ("prometheus.example", "10.0.0.1:9090", "localhost.example"):
        with pytest.raises(InputError, match="--prometheus-auth needs https://"):
            server_access.server(f"prometheus:http://{host}", file, None)
    assert server_access.server("prometheus:https://prometheus.example", file, None).login


def test_no_text_has_the_secret(tmp_path: Path) -> None:
    server = server_access.server("prometheus:https://host", secret(tmp_path), None)
    assert "hunter2" not in f"{server!r} {server.login!r} {server.login}"


def test_authorities_are_certificates(tmp_path: Path) -> None:
    file = secret(tmp_path)
    with pytest.raises(InputError, match="must be a PEM file with certificates"):
        server_access.server("prometheus:https://host", None, file)
    with pytest.raises(InputError, match="--ca needs an address that begins with https://"):
        server_access.server("prometheus:http://host", None, file)
    with pytest.raises(InputError, match="not found"):
        server_access.server("prometheus:https://host", None, tmp_path / "none")
