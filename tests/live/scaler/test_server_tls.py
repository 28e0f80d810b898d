"""TLS of both servers, with certificates that are missing, expired and replaced."""

from __future__ import annotations

import re
import shutil
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest

from live.scaler.answer_server import AnswerServer, health_pages, replica_pages
from live.scaler.asked_targets import AskedTargets
from live.scaler.listen_address import Address
from live.scaler.scaler_service import ScalerService, ServiceServer
from live.scaler.server_tls import READ_AGAIN_S, ServerTls, TlsFiles
from pipeline.base.errors import InputError
from tests.live.scaler.test_answer_server import ALLOW, ask
from tests.live.scaler.test_scaled_target import Group
from tests.live.scaler.test_scaler_service import Keda
from tests.pipeline.inputs.prometheus import certificates
from tests.pipeline.inputs.prometheus.certificates import Signed

pytestmark = [
    pytest.mark.unit,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]

HERE, HOST = Address("127.0.0.1", 0), "localhost"
COUNT = 6


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Signed]:
    """Two authorities, and certificates of the first one and of the second."""
    folder = tmp_path_factory.mktemp("certificates")
    every = {name: certificates.authority(folder, name) for name in ("ca", "other_ca")}
    for name, by, days in (
        ("old", "ca", 2),
        ("new", "ca", 2),
        ("expired", "ca", -1),
        ("client", "ca", 2),
        ("expired_client", "ca", -1),
        ("other_client", "other_ca", 2),
    ):
        every[name] = certificates.certificate(folder, name, HOST, every[by], days)
    return every


class Servers:
    """Both servers with one set of files, and the clients that KEDA is."""

    def __init__(self, folder: Path, made: dict[str, Signed], with_clients: bool) -> None:
        self._folder, self._made, self._stack = folder, made, ExitStack()
        self.now_s = 0.0
        self.lines: list[dict[str, Any]] = []
        self.put("old", "ca")
        files = TlsFiles(
            folder / "tls.crt", folder / "tls.key", folder / "ca.crt" if with_clients else None
        )
        tls = ServerTls(files, lambda: self.now_s, lambda _, **values: self.lines.append(values))
        group = Group()
        group.pass_(540.0, 2)
        targets = {"shop/billing": group.target}
        asked = AskedTargets(targets, ALLOW)
        self._http = AnswerServer("--listen", HERE, replica_pages(asked), tls)
        self.health = AnswerServer("--health-listen", HERE, health_pages(targets))
        for server in (self._http, self.health):
            self._stack.callback(server.server_close)
            server.serve_in_thread()
            self._stack.callback(server.shutdown)
        self._grpc = ServiceServer(ScalerService(asked, 5.0), HERE, tls.credentials())
        self._stack.callback(self._grpc.close)

    def put(self, name: str, clients: str = "") -> None:
        """Let the files be those of a certificate, and of clients' authority."""
        signed = self._made[name]
        self.put_certificate(name)
        shutil.copy(signed.key, self._folder / "tls.key")
        if clients:
            shutil.copy(self._made[clients].certificate, self._folder / "ca.crt")

    def put_certificate(self, name: str) -> None:
        shutil.copy(self._made[name].certificate, self._folder / "tls.crt")

    def wait(self) -> None:
        """Let the time pass after which files are read again."""
        self.now_s += READ_AGAIN_S

    def over_http(self, client: str = "") -> tuple[int, bytes]:
        """Count, and the server's certificate; 0 without an answer."""
        context = ssl.create_default_context(cafile=self._made["ca"].certificate)
        if client:
            context.load_cert_chain(self._made[client].certificate, self._made[client].key)
        try:
            with (
                socket.create_connection(self._http.server_address[:2], 10) as plain,
                context.wrap_socket(plain, server_hostname=HOST) as secured,
            ):
                certificate = secured.getpeercert(binary_form=True) or b""
                secured.sendall(b"GET /v1/shop/billing HTTP/1.0\r\n\r\n")
                answer = b"".join(iter(lambda: secured.recv(4096), b""))
        except OSError:
            return 0, b""
        found = re.search(rb'{"replicas": (\d+)}', answer)
        return int(found[1]) if found else 0, certificate

    def over_grpc(self, client: str = "") -> float:
        """Count; 0 without an answer."""
        ca = self._made["ca"].certificate.read_bytes()
        own = self._made.get(client)
        credentials = grpc.ssl_channel_credentials(
            ca,
            own.key.read_bytes() if own else None,
            own.certificate.read_bytes() if own else None,
        )
        options = [
            ("grpc.ssl_target_name_override", HOST),
            # A channel of an earlier question would be used again.
            ("grpc.use_local_subchannel_pool", 1),
        ]
        with grpc.secure_channel(self._grpc.address, credentials, options) as channel:
            try:
                return Keda(channel).metrics()
            except grpc.RpcError:
                return 0.0

    def both(self, client: str = "") -> tuple[int, float]:
        """Counts over HTTP and over gRPC."""
        return self.over_http(client)[0], self.over_grpc(client)

    def close(self) -> None:
        self._stack.close()


Started = Callable[[bool], Servers]


@pytest.fixture
def started(tmp_path: Path, made: dict[str, Signed]) -> Iterator[Started]:
    with ExitStack() as stack:

        def start(with_clients: bool) -> Servers:
            servers = Servers(tmp_path, made, with_clients)
            stack.callback(servers.close)
            return servers

        yield start


def test_counts_over_tls_and_health_without(started: Started) -> None:
    servers = started(False)
    assert servers.both() == (COUNT, COUNT)
    assert ask(servers.health, "/healthz") == (200, "ok\n")
    assert ask(servers.health, "/metrics")[0] == 200


def test_plaintext_gets_no_answer(started: Started) -> None:
    servers = started(False)
    with socket.create_connection(servers._http.server_address[:2], 10) as plain:
        plain.sendall(b"GET /v1/shop/billing HTTP/1.0\r\n\r\n")
        try:
            answer = plain.recv(4096)
        except ConnectionResetError:
            answer = b""
    assert b"replicas" not in answer
    with grpc.insecure_channel(servers._grpc.address) as channel, pytest.raises(grpc.RpcError):
        Keda(channel).metrics()


@pytest.mark.parametrize(
    ("client", "count"),
    [("client", COUNT), ("", 0), ("other_client", 0), ("expired_client", 0)],
)
def test_clients_need_a_certificate_where_their_authority_is_named(
    started: Started, client: str, count: int
) -> None:
    assert started(True).both(client) == (count, count)


def test_a_silent_client_does_not_keep_others_from_their_answer(started: Started) -> None:
    servers = started(False)
    with socket.create_connection(servers._http.server_address[:2], 10):
        assert servers.both() == (COUNT, COUNT)


def test_an_expired_certificate_is_replaced_without_a_restart(started: Started) -> None:
    servers = started(False)
    servers.put("expired")
    assert servers.both() == (COUNT, COUNT)
    servers.wait()
    assert servers.both() == (0, 0)
    servers.put("new")
    servers.wait()
    assert servers.both() == (COUNT, COUNT)
    assert len(servers.lines) == 2


def test_a_replaced_certificate_is_shown_within_a_minute(
    started: Started, made: dict[str, Signed]
) -> None:
    assert READ_AGAIN_S <= 60.0
    servers = started(False)
    before = servers.over_http()[1]
    servers.put("new")
    assert servers.over_http()[1] == before
    servers.wait()
    after = servers.over_http()[1]
    assert after == ssl.PEM_cert_to_DER_cert(made["new"].certificate.read_text())
    assert after != before


def test_another_authority_of_clients(started: Started) -> None:
    servers = started(True)
    servers.put("old", "other_ca")
    servers.wait()
    assert servers.both("other_client") == (COUNT, COUNT)
    assert servers.both("client") == (0, 0)


def test_a_certificate_without_its_key_leaves_the_last_pair(started: Started) -> None:
    servers = started(False)
    servers.put_certificate("new")
    for _ in range(3):
        servers.wait()
        assert servers.both() == (COUNT, COUNT)
    (line,) = servers.lines
    assert "`tls.cert` and `tls.key` must be a certificate and its key" in line["error"]
    assert line["error"].endswith("the certificate read before is kept")
    servers.put("new")
    servers.wait()
    assert servers.both() == (COUNT, COUNT)
    assert list(servers.lines[-1]) == ["certificate"]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("cert", "`tls.cert` and `tls.key` must be a certificate and its key"),
        ("key", "`tls.cert` and `tls.key` must be a certificate and its key"),
        ("client_ca", "`tls.client_ca` must have certificates of authorities"),
    ],
)
def test_files_that_cannot_be_used_are_refused_at_the_start(
    tmp_path: Path, made: dict[str, Signed], wrong: str, said: str
) -> None:
    files = {
        "cert": made["old"].certificate,
        "key": made["old"].key,
        "client_ca": made["ca"].certificate,
    }
    (tmp_path / "wrong.pem").write_text("wrong\n")
    for file, reason in (("wrong.pem", said), ("none.pem", "cannot be read (no such file")):
        with pytest.raises(InputError, match=re.escape(reason)):
            ServerTls(
                TlsFiles(**{**files, wrong: tmp_path / file}), lambda: 0.0, lambda *_, **__: None
            )
