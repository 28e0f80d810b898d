"""What asks a run's scaler, against its real servers on loopback."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from http import HTTPStatus
from pathlib import Path

import pytest

from live.groups.keda_trigger import NoAnswer
from live.groups.scaler_client import (
    HERE,
    NAME,
    NAMESPACE,
    ScalerClient,
    new_client,
    port_file,
)
from live.scaler.answer_server import AnswerServer, replica_pages
from live.scaler.asked_targets import AskedTargets, Refused
from live.scaler.listen_address import Address
from live.scaler.scaler_service import ScalerService, ServiceServer
from live.strategy_kinds import ASKED, EXTERNAL
from tests.live.scaler.test_scaled_target import Group

pytestmark = pytest.mark.unit


class Scaler:
    """A scaler with one group, and a client that asks it."""

    def __init__(self, folder: Path, trigger: str) -> None:
        self.group, self.folder, self.trigger = Group(), folder, trigger
        self.client = new_client(trigger, folder, 5.0)
        self._stack = ExitStack()

    def listen(self) -> None:
        target = {f"{NAMESPACE}/{NAME}": self.group.target}
        asked = AskedTargets(target, {NAMESPACE: {"groups": (), "topics": ()}})
        if self.trigger == EXTERNAL:
            service = ServiceServer(ScalerService(asked, 0.05), Address(HERE, 0))
            self._stack.callback(service.close)
            self.say(service.port)
            return
        server = AnswerServer("--listen", Address(HERE, 0), replica_pages(asked))
        self._stack.callback(server.server_close)
        self._stack.callback(server.shutdown)
        server.serve_in_thread()
        self.say(server.server_port)

    def say(self, port: int) -> None:
        port_file(self.folder).write_text(json.dumps({"port": port}), encoding="utf-8")

    def close(self) -> None:
        self.client.close()
        self._stack.close()


@pytest.fixture(params=ASKED)
def scaler(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Scaler]:
    made = Scaler(tmp_path, request.param)
    yield made
    made.close()


def refusal(ask: Callable[[], int]) -> str:
    with pytest.raises(NoAnswer) as caught:
        ask()
    return str(caught.value)


def test_a_scaler_that_does_not_listen_yet_gives_no_answer(scaler: Scaler) -> None:
    assert not scaler.client.is_ready
    assert refusal(scaler.client.ask) == "the scaler does not listen yet"


def test_the_count_or_the_scalers_reason(scaler: Scaler) -> None:
    scaler.listen()
    assert scaler.client.is_ready
    scaler.group.fault = "no broker answers"
    scaler.group.pass_(0.0)
    said = refusal(scaler.client.ask)
    assert re.fullmatch(r"the scaler answers (503|UNAVAILABLE): no broker answers", said)
    scaler.group.fault = ""
    scaler.group.pass_(540.0, 2)
    assert scaler.client.ask() == 6
    # After an error KEDA asks once more.
    answers = scaler.group.target.tally.answers
    assert answers == {503: 2, 200: 1}


def test_over_grpc_keda_also_asks_whether_the_group_is_active(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scaler, asked = Scaler(tmp_path, EXTERNAL), []

    def is_active(self: AskedTargets, target: object) -> bool:
        asked.append(target)
        if len(asked) > 1:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, "in shadow")
        return True

    monkeypatch.setattr(AskedTargets, "is_active", is_active)
    scaler.listen()
    scaler.group.pass_(540.0, 3)
    assert scaler.client.ask() == 6
    assert asked == [scaler.group.target]
    assert refusal(scaler.client.ask) == "the scaler answers UNAVAILABLE: in shadow"
    scaler.close()


def test_a_scaler_that_has_died_gives_no_answer(scaler: Scaler) -> None:
    with socket.create_server((HERE, 0)) as taken:
        port = taken.getsockname()[1]
    scaler.say(port)
    assert re.match(
        r"the scaler (does not answer|answers UNAVAILABLE): ", refusal(scaler.client.ask)
    )


class Flaky(ScalerClient):
    """Fails so many times."""

    failures = 1

    def _asked(self) -> int:
        self.failures -= 1
        if self.failures >= 0:
            raise NoAnswer("closed")
        return 4


def test_one_error_is_no_failure(tmp_path: Path) -> None:
    client = Flaky(tmp_path, 5.0)
    assert client.ask() == 4
    client.failures = 2
    assert refusal(client.ask) == "closed"
