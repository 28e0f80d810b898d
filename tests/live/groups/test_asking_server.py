"""Members and the run on the two sides of a socket: questions, and the wish to join again."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from kafka.coordinator.assignors.abstract import RebalanceProtocol

from live.groups import asking_lines
from live.groups.asked_placements import GroupMember
from live.groups.asking_assignor import AskingAssignor
from live.groups.asking_server import AskingServer
from live.groups.keda_trigger import NoAnswer
from live.groups.rejoin_link import RejoinLink
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

PARTITIONS = 4
PLACED = {0: [0, 3], 1: [1, 2]}

NESTED = b"[" * 100_000
"""Deeper than Python reads JSON."""


class Run:
    """The run's side, whose answer the test may change."""

    def __init__(self, folder: Path) -> None:
        self.answer: Callable[[Sequence[int]], Mapping[int, Sequence[int]]] = lambda _: PLACED
        self.present: list[Sequence[int]] = []
        self.folder = folder
        self.server = AskingServer(folder, self._answered)

    def _answered(self, present: Sequence[int]) -> Mapping[int, Sequence[int]]:
        self.present.append(present)
        return self.answer(present)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path)
    yield run
    run.server.close()


class Leader:
    """A leader's assignor, in a group of slots 0 and 1."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        settings = short_settings(folder=str(folder), partitions=PARTITIONS, **changes)
        self.said: list[dict[str, Any]] = []
        self.assignor = AskingAssignor(
            settings, 0, 1, lambda what, **fields: self.said.append({"what": what, **fields})
        )

    def assign(self, *members: GroupMember) -> dict[str, list[int]]:
        rows = [
            SimpleNamespace(
                member_id=one.member_id, metadata=SimpleNamespace(user_data=one.user_data)
            )
            for one in members
        ]
        self.sent = self.assignor.assign(None, rows)
        return {
            name: [place.partition for place in share.partitions()]
            for name, share in self.sent.items()
        }

    @property
    def sources(self) -> list[str]:
        return [entry["source"] for entry in self.said]


FIRST, SECOND = GroupMember("a", 0, 1), GroupMember("b", 1, 1)


def test_the_leader_assigns_what_the_run_answers(run: Run) -> None:
    leader = Leader(run.folder)
    assert leader.assign(SECOND, FIRST) == {"a": [0, 3], "b": [1, 2]}
    assert run.present == [[0, 1]]
    assert (run.server.leader, run.server.questions) == ((0, 1), 1)
    assert leader.sources == ["answered"]


def test_partitions_that_move_are_withheld_if_the_protocol_is_cooperative(run: Run) -> None:
    leader = Leader(run.folder, group_protocol="cooperative")
    assert leader.assignor.supported_protocols() == [RebalanceProtocol.COOPERATIVE]
    owning = FIRST._replace(owned=(0, 1)), SECOND._replace(owned=(2, 3))
    assert leader.assign(*owning) == {"a": [0], "b": [2]}
    eager = Leader(run.folder)
    assert eager.assignor.supported_protocols() == [RebalanceProtocol.EAGER]
    assert eager.assign(*owning) == {"a": [0, 3], "b": [1, 2]}


def test_an_answer_about_others_is_packed_over_those_present(run: Run) -> None:
    leader = Leader(run.folder)
    run.answer = lambda _: {7: [0, 1], 1: [2], 0: [9]}
    assert leader.assign(FIRST, SECOND) == {"a": [0, 1], "b": [2, 3]}
    assert leader.sources == ["packed"]


def test_a_slow_answer_is_not_waited_for(run: Run) -> None:
    leader = Leader(run.folder)

    def slow(_: Sequence[int]) -> dict[int, list[int]]:
        time.sleep(3 * asking_lines.LIMIT_S)
        return PLACED

    run.answer = slow
    began = time.monotonic()
    assert leader.assign(FIRST, SECOND) == {"a": [0, 1], "b": [2, 3]}
    assert time.monotonic() - began < 2 * asking_lines.LIMIT_S
    assert leader.sources == ["range"]


def test_without_a_run_the_last_placement_stays_while_it_fits(run: Run) -> None:
    """Every member knows it, also one that becomes the leader only now."""
    before = Leader(run.folder)
    before.assign(FIRST, SECOND)
    run.server.close()
    leader = Leader(run.folder)
    leader.assignor.on_assignment(before.sent["b"], 1)
    assert leader.assignor.owned == (1, 2)
    assert leader.assign(FIRST, SECOND) == {"a": [0, 3], "b": [1, 2]}
    third = GroupMember("c", 2, 1)
    assert leader.assign(FIRST, SECOND, third) == {"a": [0, 1], "b": [2], "c": [3]}
    assert leader.sources == ["last", "range"]


@pytest.mark.parametrize("data", [b"{", b'{"0": [Infinity]}', NESTED])
def test_an_assignment_of_others_leaves_no_placement(tmp_path: Path, data: bytes) -> None:
    leader = Leader(tmp_path)
    leader.assignor.on_assignment(SimpleNamespace(partitions=list, user_data=data), 1)
    assert leader.assign(FIRST, SECOND) == {"a": [0, 1], "b": [2, 3]}
    assert leader.sources == ["range"]


@pytest.mark.parametrize(
    "question", [b'{"ask": [Infinity, 1], "members": []}\n', b'{"hello": [0, Infinity]}\n', NESTED]
)
def test_a_wrong_question_ends_its_connection_without_an_error(
    run: Run, question: bytes, capfd: pytest.CaptureFixture[str]
) -> None:
    with asking_lines.connect(asking_lines.port_file(run.folder), 5.0) as connection:
        connection.sendall(question)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(100) == b""
    assert Leader(run.folder).assign(FIRST, SECOND) == {"a": [0, 3], "b": [1, 2]}
    assert "Traceback" not in capfd.readouterr().err


def test_a_former_process_of_a_slot_gets_nothing(run: Run) -> None:
    leader = Leader(run.folder)
    newer = GroupMember("n", 1, 2)
    assert leader.assign(FIRST, newer, SECOND) == {"a": [0, 3], "n": [1, 2], "b": []}


@pytest.mark.parametrize(
    "answer",
    [
        *(b"", b"{\n", b"nothing\n", b"[1]\n", b'{"0": 7}\n'),
        *(b'{"0": [Infinity]}\n', b'{"0": [NaN]}\n', b"\xff\n", NESTED + b"\n"),
    ],
)
def test_no_answer_raises_nothing(tmp_path: Path, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        asking_lines.port_file(tmp_path).write_text(json.dumps({"port": listener.getsockname()[1]}))

        def speak() -> None:
            connection, _ = listener.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(answer)

        thread = threading.Thread(target=speak)
        thread.start()
        leader = Leader(tmp_path)
        assert leader.assign(FIRST, SECOND) == {"a": [0, 1], "b": [2, 3]}
        thread.join()
    assert leader.sources == ["range"]


@pytest.mark.parametrize(
    "content", [None, "{", "{}", '{"port": "x"}', '{"port": 1}', '{"port": 65536}']
)
def test_a_run_that_does_not_listen_gives_no_answer(tmp_path: Path, content: str | None) -> None:
    file = asking_lines.port_file(tmp_path)
    if content is not None:
        file.write_text(content)
    with pytest.raises(NoAnswer):
        asking_lines.ask(file, 0, 1, [FIRST], 0.3)


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + 5.0
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.01)


def linked(run: Run, *slots: int) -> list[RejoinLink]:
    """Members whose connections stand."""
    links = [RejoinLink(asking_lines.port_file(run.folder), slot, 1) for slot in slots]
    assert [link.is_asked() for link in links] == [False] * len(links)
    until(lambda: run.server.connected == {(slot, 1) for slot in slots})
    return links


def test_only_the_leader_is_asked_to_join_again(run: Run) -> None:
    first, second = linked(run, 0, 1)
    Leader(run.folder).assign(FIRST, SECOND)
    run.server.ask_to_rejoin()
    until(first.is_asked)
    assert [first.is_asked(), second.is_asked()] == [False, False]


def test_all_are_asked_while_the_leader_is_not_connected(run: Run) -> None:
    links = linked(run, 1, 2)
    Leader(run.folder).assign(FIRST, SECOND)
    run.server.ask_to_rejoin()
    for link in links:
        until(link.is_asked)


def test_a_member_connects_to_a_run_that_listens_again(run: Run) -> None:
    (link,) = linked(run, 0)
    run.server.close()
    run.server = AskingServer(run.folder, run.answer)
    until(lambda: not link.is_asked() and run.server.connected == {(0, 1)})
    run.server.ask_to_rejoin()
    until(link.is_asked)
