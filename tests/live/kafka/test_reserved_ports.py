"""Reserved ports are nobody else's, and a server can listen on them."""

from __future__ import annotations

import socket

import pytest

from live.kafka import reserved_ports
from live.kafka.reserved_ports import HOST, reserved
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit


def listener(port: int) -> socket.socket:
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind((HOST, port))
    server.listen()
    return server


def test_a_server_listens_on_a_reserved_port_again_and_again() -> None:
    with reserved(1) as (port,):
        for _ in range(2):
            with listener(port), socket.create_connection((HOST, port), timeout=5) as client:
                assert client.getpeername() == (HOST, port)
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((HOST, port), timeout=5)


def test_nobody_else_gets_one() -> None:
    with reserved(200) as first, reserved(200) as second:
        ports = {*first, *second}
        assert len(ports) == 400
        sockets = [socket.socket() for _ in range(400)]
        try:
            for one in sockets:
                one.bind((HOST, 0))
            assert ports.isdisjoint(one.getsockname()[1] for one in sockets)
        finally:
            for one in sockets:
                one.close()


def test_a_server_that_does_not_know_of_it_is_refused() -> None:
    with reserved(1) as (port,), socket.socket() as server, pytest.raises(OSError, match="in use"):
        server.bind((HOST, port))


def test_they_are_free_afterwards() -> None:
    with reserved(1) as (port,):
        pass
    with socket.socket() as server:
        server.bind((HOST, port))


def test_without_a_free_port_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_left(*_: object) -> None:
        raise OSError(98, "Address already in use")

    monkeypatch.setattr(reserved_ports, "_bound", none_left)
    with (
        pytest.raises(
            InputError, match=r"needs 2 free ports of .* \(address already in use\); stop"
        ),
        reserved(2),
    ):
        pass
