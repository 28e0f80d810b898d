"""The load's process with a client that a test gives: what it reads, and what fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pulsar
import pytest

from live.pulsar import load_process, pulsar_login
from live.pulsar.load_process import Load

pytestmark = pytest.mark.unit

OUTPUT = "a-out"


class Message:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def data(self) -> bytes:
        return self._content

    def topic_name(self) -> str:
        return f"persistent://public/default/{OUTPUT}"


class Client:
    """Producer, consumer and client at once: what is sent comes out, until reading fails."""

    def __init__(self, readable: int, failure: type[Exception] = pulsar.Timeout) -> None:
        self._readable, self._failure = readable, failure
        self._waiting: list[Message] = []

    def subscribe(self, *_: object, **__: object) -> Client:
        return self

    create_producer = subscribe

    def send_async(self, record: bytes, answered: Callable[[Any, object], None]) -> None:
        self._waiting.append(Message(record))
        answered(pulsar.Result.Ok, None)

    def receive(self, _: int) -> Message:
        if self._readable and self._waiting:
            self._readable -= 1
            return self._waiting.pop(0)
        raise pulsar.Timeout("not yet") if self._readable else self._failure("no more")

    def acknowledge(self, _: Message) -> None:
        """Nothing is to be delivered again."""

    def flush(self) -> None:
        """All is sent."""

    close = flush


def process(folder: Path, monkeypatch: pytest.MonkeyPatch, client: Client) -> int:
    pulsar_login.write(folder)
    token = str(pulsar_login.token_file(folder))
    load = Load("pulsar://127.0.0.1:9", token, "images", (OUTPUT,), 0.3, 0, 1)
    load_process.write(folder, load, np.array([0.0, 0.01, 0.02]), np.zeros((3, 1)))
    monkeypatch.setattr(load_process, "AHEAD_S", 0.01)
    monkeypatch.setattr(load_process.pulsar, "Client", lambda *_, **__: client)
    return load_process.main(folder)


@pytest.mark.parametrize("readable", [3, 2])
def test_all_that_came_out_is_noted(
    readable: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert process(tmp_path, monkeypatch, Client(readable)) == 0
    ended = json.loads((tmp_path / "ended.json").read_text())
    assert ended == {"acknowledged": 3, "failed": 0, "drained": readable == 3}
    numbers = [line.split(";")[0] for line in (tmp_path / "read.txt").read_text().splitlines()]
    assert numbers == ["0", "1", "2"][:readable]


def test_a_reader_that_fails_ends_the_load_instead_of_losing_events(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert process(tmp_path, monkeypatch, Client(2, pulsar.ConnectError)) == 1
    assert not (tmp_path / "ended.json").exists()
    said = capsys.readouterr().err
    assert said.startswith("load: ")
    assert said.count("\n") == 1


def test_without_the_token_of_a_pulsar_that_has_ended_the_load_is_a_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    load = Load("pulsar://127.0.0.1:9", str(tmp_path / "gone"), "images", (OUTPUT,), 0.3, 0, 1)
    load_process.write(tmp_path, load, np.array([0.0]), np.zeros((1, 1)))
    assert load_process.main(tmp_path) == 1
    said = capsys.readouterr().err
    assert said.startswith("load: [Errno 2] No such file or directory")
    assert said.count("\n") == 1
