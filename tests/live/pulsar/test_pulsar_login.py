"""The login of a Pulsar of our own: who can read it, what it signs, and where it does not stand."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from live.pulsar import pulsar_login, standalone_settings
from live.pulsar.standalone_settings import PulsarPorts

pytestmark = pytest.mark.unit


def test_key_and_token_are_for_their_owner_alone_and_new_each_time(tmp_path: Path) -> None:
    texts: list[str] = []
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        pulsar_login.write(folder)
        files = (pulsar_login.key_file(folder), pulsar_login.token_file(folder))
        assert [file.stat().st_mode & 0o777 for file in files] == [0o600, 0o600]
        assert len(files[0].read_bytes()) * 8 >= 256
        texts += [file.read_text() for file in files]
    assert len(set(texts)) == 4
    with pytest.raises(FileExistsError):
        pulsar_login.write(tmp_path / "first")


def test_the_token_is_signed_with_its_key() -> None:
    # Made with `openssl dgst -sha256 -hmac`, as RFC 7515 has it.
    assert pulsar_login.signed(b"a-key-for-a-test-of-43-letters-0123456789abc") == (
        "eyJhbGciOiAiSFMyNTYiLCAidHlwIjogIkpXVCJ9.eyJzdWIiOiAiZ3JvdXBzY2FsZSJ9."
        "fANqzEogED4TOLxHKC0KdKsUKhhTDBxolSZ2R7v4qIE"
    )


def test_settings_name_files_and_want_a_login_from_all(tmp_path: Path) -> None:
    folder, ports = tmp_path / "a run", PulsarPorts(1001, 1002, 1003)
    folder.mkdir()
    pulsar_login.write(folder)
    conf = standalone_settings.standalone_conf(folder, ports)
    text = conf + standalone_settings.worker_yaml(folder, ports, Path("/cache/function.jar"))
    text += " ".join(standalone_settings.arguments(folder, ports))
    for file in (pulsar_login.key_file(folder), pulsar_login.token_file(folder)):
        assert file.as_uri() in text
        assert file.read_text() not in text
    stated = dict(line.split("=", 1) for line in conf.splitlines())
    assert stated["authenticationEnabled"] == stated["authorizationEnabled"] == "true"
    assert stated["superUserRoles"] == pulsar_login.ROLE
    assert "anonymousUserRole" not in stated
    # The bookie has no login, so it has no socket.
    assert stated["disableServerSocketBind"] == stated["enableLocalTransport"] == "true"


def test_neither_netrc_nor_a_proxy_of_the_environment_touches_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pulsar_login.write(tmp_path)
    netrc = tmp_path / "netrc"
    netrc.write_text("default login someone password other\n")
    monkeypatch.setenv("NETRC", str(netrc))
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    got: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            got.append(self.headers["Authorization"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        file = pulsar_login.token_file(tmp_path)
        with pulsar_login.session(file) as session:
            assert session.get(f"http://127.0.0.1:{server.server_port}", timeout=5).ok
    assert got == [f"Bearer {file.read_text()}"]


def test_a_redirection_to_another_port_does_not_get_the_token(tmp_path: Path) -> None:
    pulsar_login.write(tmp_path)
    got: dict[str, str | None] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            got[self.path] = self.headers["Authorization"]
            self.send_response(307 if self.path == "/pulsar" else 204)
            self.send_header("Location", f"http://127.0.0.1:{other.server_port}/other")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    place = ("127.0.0.1", 0)
    with HTTPServer(place, Handler) as server, HTTPServer(place, Handler) as other:
        for each in (server, other):
            threading.Thread(target=each.handle_request, daemon=True).start()
        file = pulsar_login.token_file(tmp_path)
        with pulsar_login.session(file) as session:
            session.get(f"http://127.0.0.1:{server.server_port}/pulsar", timeout=5)
    assert got == {"/pulsar": f"Bearer {file.read_text()}", "/other": None}
