"""HTTP on loopback."""

from __future__ import annotations

import http.client
import json
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection

import pytest

from live.scaler import answer_server
from live.scaler.answer_server import AnswerServer, health_pages, replica_pages
from live.scaler.asked_targets import AskedTargets
from live.scaler.listen_address import Address, address
from pipeline.base.errors import InputError
from tests.live.scaler.test_scaled_target import Group

pytestmark = pytest.mark.unit

ALLOW = {"shop": {"groups": ("billing",), "topics": ("orders",)}}
HERE = Address("127.0.0.1", 0)


@pytest.fixture
def group() -> Group:
    return Group()


@pytest.fixture
def server(group: Group) -> Iterator[AnswerServer]:
    with AnswerServer(
        "--listen", HERE, replica_pages(AskedTargets({"shop/billing": group.target}, ALLOW))
    ) as own:
        own.serve_in_thread()
        yield own
        own.shutdown()


def ask(server: AnswerServer, path: str, method: str = "GET") -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.request(method, path)
    response = connection.getresponse()
    body = response.read().decode()
    connection.close()
    return response.status, body


def test_the_count_or_503_with_the_reason(group: Group, server: AnswerServer) -> None:
    group.fault = "no permission to describe group 'billing'"
    group.pass_(0.0)
    status, body = ask(server, "/v1/shop/billing")
    assert (status, json.loads(body)) == (503, {"error": group.fault})
    group.fault = ""
    group.pass_(540.0, 2)
    assert ask(server, "/v1/shop/billing") == (200, '{"replicas": 6}')
    assert ask(server, "/v1/shop/billing?a=1") == (200, '{"replicas": 6}')
    group.fault = "no broker answers"
    group.pass_(0.0)
    assert ask(server, "/v1/shop/billing") == (200, '{"replicas": 6}')
    assert group.target.tally.answers == {503: 1, 200: 3}


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/v1/other/billing", 403, "not in `allow`"),
        ("/v1/shop/orders", 404, "not in `scale`"),
        ("/v1/shop", 404, "/v1/NAMESPACE/NAME"),
        ("/v1/shop/billing/more", 404, "/v1/NAMESPACE/NAME"),
        ("/", 404, "/v1/NAMESPACE/NAME"),
    ],
)
def test_anything_else_is_refused(server: AnswerServer, path: str, status: int, said: str) -> None:
    assert ask(server, path)[0] == status
    assert said in json.loads(ask(server, path)[1])["error"]


def test_a_shadow_never_sends_a_count(group: Group) -> None:
    asked = AskedTargets({"shop/billing": group.target}, ALLOW, is_shadow=True)
    group.pass_(540.0, 2)
    with AnswerServer("--listen", HERE, replica_pages(asked)) as own:
        own.serve_in_thread()
        status, body = ask(own, "/v1/shop/billing")
        own.shutdown()
    said = "the scaler runs with --shadow and sends no count (it would be 6)"
    assert (status, json.loads(body)) == (503, {"error": said})


def test_only_get_is_answered(server: AnswerServer) -> None:
    assert ask(server, "/v1/shop/billing", "POST")[0] == 501


def test_a_connection_serves_many_requests(group: Group, server: AnswerServer) -> None:
    group.pass_(180.0, 2)
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    for _ in range(3):
        connection.request("GET", "/v1/shop/billing")
        assert connection.getresponse().read() == b'{"replicas": 2}'
    connection.close()


def test_health_never_depends_on_brokers(group: Group) -> None:
    group.fault = "no broker answers"
    group.pass_(0.0)
    with AnswerServer("--health-listen", HERE, health_pages({"shop/billing": group.target})) as own:
        own.serve_in_thread()
        assert ask(own, "/healthz") == ask(own, "/readyz") == (200, "ok\n")
        status, text = ask(own, "/metrics")
        assert (status, "no broker answers" in text) == (200, True)
        assert ask(own, "/v1/shop/billing")[0] == 404
        own.shutdown()


def test_connections_beyond_the_limit_are_closed(
    monkeypatch: pytest.MonkeyPatch, group: Group
) -> None:
    monkeypatch.setattr(answer_server, "MOST_CONNECTIONS", 2)
    with AnswerServer("--listen", HERE, health_pages({})) as own:
        own.serve_in_thread()
        idle = [socket.create_connection(own.server_address[:2], 10) for _ in range(2)]
        time.sleep(0.2)
        with pytest.raises((http.client.HTTPException, OSError)):
            ask(own, "/healthz")
        for each in idle:
            each.close()
        time.sleep(0.2)
        assert ask(own, "/healthz")[0] == 200
        own.shutdown()


def test_addresses() -> None:
    assert address("--listen", "127.0.0.1:6000") == ("127.0.0.1", 6000)
    assert address("--listen", "[::1]:0") == ("::1", 0)
    for wrong in ("6000", ":6000", "a:b", "a:70000", "127.0.0.1"):
        with pytest.raises(InputError, match="`--listen` must be HOST:PORT"):
            address("--listen", wrong)


def test_an_address_in_use_is_refused(server: AnswerServer) -> None:
    taken = Address("127.0.0.1", int(server.server_address[1]))
    with pytest.raises(InputError, match=r"`--listen` cannot be listened on \(address already"):
        AnswerServer("--listen", taken, health_pages({}))
