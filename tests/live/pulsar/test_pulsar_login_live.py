"""Without its token, a Pulsar of a run does nothing; and the token stands in two files alone."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import psutil
import pulsar as client
import pytest
import requests

from live.pulsar import pulsar_login
from live.pulsar.functions_admin import FunctionsAdmin
from live.pulsar.real_application import RealApplication, specs_of
from live.pulsar.standalone import EXTENDED, Standalone
from tests.live.pulsar import faulted_run

pytestmark = pytest.mark.live

FUNCTIONS = "v3/functions/public/default"
OTHER = pulsar_login.signed(b"a key of another Pulsar, 256 bits or more")
"""The token of another Pulsar."""


@pytest.fixture(scope="module")
def pulsar(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standalone]:
    """A Pulsar, whose folder also has what runs leave."""
    with Standalone(tmp_path_factory.mktemp("login") / "standalone", EXTENDED) as pulsar:
        yield pulsar


def processes() -> list[psutil.Process]:
    """This process and all below it."""
    return [psutil.Process(), *psutil.Process().children(recursive=True)]


def test_the_token_is_in_no_command_line_environment_log_or_evidence(pulsar: Standalone) -> None:
    folder = pulsar.folder.parent / "evidence"
    place = pulsar.token_file.parent
    private = [pulsar.token_file, pulsar_login.key_file(place)]
    secrets = [file.read_bytes() for file in private]
    assert [file.stat().st_mode & 0o777 for file in (place, *private)] == [0o700, 0o600, 0o600]
    seen: list[bytes] = []

    def look() -> None:
        for process in processes():
            for what in ("cmdline", "environ"):
                seen.append(Path(f"/proc/{process.pid}/{what}").read_bytes())

    what = faulted_run.application(8.0, 8.0, 0.1)
    with faulted_run.meanwhile(folder, 4.0, look):
        faulted_run.run(pulsar, faulted_run.scaled(what), folder)
    assert faulted_run.counts(folder) == (64, 0, 0)
    # Pulsar, load and loop, with this process.
    assert len(seen) >= 8
    files = [file for file in pulsar.folder.parent.rglob("*") if file.is_file()]
    assert {pulsar.log, folder / "journal.jsonl", *private} <= set(files)
    # The folder has Pulsar's topics as well, that of its functions' settings among them.
    with_secret = [file for file in files if any(each in file.read_bytes() for each in secrets)]
    print(f"token looked for in {len(files)} files and {len(seen) // 2} processes")
    assert sorted(with_secret) == sorted(private)
    assert not [text for text in seen if any(each in text for each in secrets)]


def test_it_listens_on_two_ports_of_the_loopback_address(pulsar: Standalone) -> None:
    assert pulsar.child is not None
    tree = [psutil.Process(pulsar.child.pid)]
    tree += tree[0].children(recursive=True)
    unconnected = {
        connection
        for process in tree
        for connection in process.net_connections("inet")
        if not connection.raddr
    }
    print("sockets without a peer:", [(c.type.name, c.status, *c.laddr) for c in unconnected])
    # Sockets for datagrams are those of name resolvers: they ask, and nothing serves there.
    listening = [c.laddr for c in unconnected if c.type != socket.SOCK_DGRAM]
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    # The bookie has none.
    assert {f":{address.port}" for address in listening} == {
        pulsar.service_url.removeprefix("pulsar://127.0.0.1"),
        pulsar.admin_url.removeprefix("http://127.0.0.1").removesuffix("/admin"),
    }


@pytest.mark.parametrize("token", [None, OTHER])
def test_without_the_token_nothing_is_administered(pulsar: Standalone, token: str | None) -> None:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    specs = specs_of(faulted_run.application(1.0, 1.0, 0.1), "mine-", faulted_run.WORK)
    config = json.dumps({"tenant": "public", "namespace": "default", "name": "theirs"})
    upload = {"functionConfig": (None, config, "application/json"), "data": ("f.jar", b"PK")}
    root = pulsar.admin_url.removesuffix("/admin")
    topic = "persistent/public/default/mine"
    with RealApplication(pulsar, specs, [1]) as mine:
        name = specs[0].name
        for method, path, parts in (
            ("POST", f"admin/{FUNCTIONS}/theirs", upload),
            ("PUT", f"admin/{FUNCTIONS}/{name}", upload),
            ("DELETE", f"admin/{FUNCTIONS}/{name}", None),
            ("GET", f"admin/{FUNCTIONS}", None),
            ("GET", f"admin/{FUNCTIONS}/{name}", None),
            ("GET", "admin/v2/worker/cluster", None),
            ("PUT", f"admin/v2/{topic}", None),
            ("DELETE", "admin/v2/tenants/public?force=true", None),
            ("POST", "admin/v2/brokers/configuration/managedLedgerCacheSizeMB/1", None),
            ("GET", f"lookup/v2/topic/{topic}", None),
            ("GET", "metrics/", None),
        ):
            answer = requests.request(
                method, f"{root}/{path}", files=parts, headers=headers, timeout=30
            )
            assert answer.status_code == 401, (method, path, answer.text)
        assert mine.admin.names() == [name]
        assert mine.admin.running(name) == 1


def answer(pulsar: Standalone, token: str | None) -> bytes:
    """What the broker's port answers to Pulsar's first command, with or without a token."""
    login = _field(3, token.encode()) + _field(5, b"token") if token else b""
    connect = _field(1, b"test") + b"\x20\x13" + login
    command = b"\x08\x02" + _field(2, connect)
    sizes = struct.pack(">II", len(command) + 4, len(command))
    port = int(pulsar.service_url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), 30) as connection:
        connection.sendall(sizes + command)
        return connection.recv(4096)[8:]


def _field(number: int, content: bytes) -> bytes:
    """A field of protobuf of less than 16,384 bytes."""
    size = len(content)
    length = bytes([size]) if size < 128 else bytes([size % 128 + 128, size // 128])
    return bytes([number * 8 + 2]) + length + content


CONNECTED, ERROR = b"\x08\x03", b"\x08\x0e"
"""Beginnings of answers."""


def test_the_token_decides_whether_the_broker_connects(pulsar: Standalone) -> None:
    assert answer(pulsar, pulsar_login.read(pulsar.token_file)).startswith(CONNECTED)
    for token in (None, OTHER):
        refusal = answer(pulsar, token)
        print("refused:", refusal)
        assert refusal.startswith(ERROR)
        assert b"authenticate" in refusal


@pytest.mark.parametrize("token", [None, OTHER])
def test_without_the_token_nothing_is_produced_or_consumed(
    pulsar: Standalone, token: str | None
) -> None:
    login = client.AuthenticationToken(token) if token else None
    quiet = client.ConsoleLogger(client.LoggerLevel.Error)
    theirs = client.Client(
        pulsar.service_url, authentication=login, operation_timeout_seconds=5, logger=quiet
    )
    try:
        for ask in (
            lambda: theirs.create_producer("theirs"),
            lambda: theirs.subscribe("theirs", "theirs"),
            lambda: theirs.create_reader("theirs", client.MessageId.earliest),
        ):
            # The client tries again until its time is over, whatever the broker's reason.
            with pytest.raises(client.PulsarException):
                ask()
    finally:
        theirs.close()
    admin = FunctionsAdmin(pulsar.admin_url, pulsar.token_file)
    assert admin.published("theirs") == 0
