"""When the active KRaft controller is killed, and what is noted of the election."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from live.brokers import elastic_run
from live.brokers.broker_admin import Quorum
from live.brokers.elastic_choices import KRAFT_CONTROLLER_KILLED, ElasticChoices
from live.brokers.scaling_journal import UP, Scaling
from pipeline.base.errors import StageError

pytestmark = pytest.mark.unit

WHOLE, PARTIAL = Quorum(6, is_whole=True), Quorum(6, is_whole=False)
NONE, ELECTED = Quorum(-1, is_whole=False), Quorum(8, is_whole=False)
MOVING = {("elastic", 3), ("elastic", 4)}


class Pretended:
    """A cluster with three KRaft controllers, whose scaling asks for the fault ten times at most.

    answers: What the quorum says, in order; the last answer stays.
    moving: Partitions that move, in order of the questions; the last answer stays.
    """

    def __init__(self, answers: list[Quorum], moving: list[set[tuple[str, int]]]) -> None:
        self._answers, self._moving = answers, moving
        self.happened: list[str] = []
        self.brokers = [1, 2, 3]

    def quorum(self) -> Quorum:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]

    def moving(self) -> set[tuple[str, int]]:
        return self._moving.pop(0) if len(self._moving) > 1 else self._moving[0]

    def kill_controller(self, controller: int) -> None:
        self.happened.append(f"{controller} killed")

    def failures(self) -> dict[int, str]:
        return {}

    def restart_controllers(self) -> None:
        self.happened.append("restarted")

    def scale(self, scaling: Scaling, watch: Any) -> None:
        for phase in ("submitted", *["moved"] * 10, "verified"):
            # Our controller is not ended.
            assert watch(scaling, phase) is None


def lines(
    pretended: Pretended, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Any]]:
    """What is noted of a scaling with the fault, apart from times."""
    monkeypatch.setattr(elastic_run, "BrokerAdmin", lambda _: pretended)
    monkeypatch.setattr(elastic_run, "_LOOK_S", 0.0)
    load: Any = SimpleNamespace(status=lambda: None)
    own: Any = pretended
    choices = ElasticChoices(kraft_controllers=3, scalings=2, still_s=1.0)
    scalings = elastic_run._Scalings(own, own, load, choices, [KRAFT_CONTROLLER_KILLED], 1, folder)
    monkeypatch.setattr(scalings, "_wait", lambda _: None)
    scalings._one(Scaling(2, UP, 4))
    for line in (folder / "pauses.jsonl").read_text().splitlines():
        entry = json.loads(line)
        if entry["kind"] != "still":
            assert entry.pop("at_ns") > 0
            yield entry


def test_the_active_one_is_killed_once_all_follow_and_partitions_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Brokers name the killed one for a while, then none.
    answers = [PARTIAL, WHOLE, WHOLE, WHOLE, NONE, ELECTED]
    pretended = Pretended(answers, [set(), MOVING])
    assert list(lines(pretended, tmp_path, monkeypatch)) == [
        {"number": 2, "kind": "fault", "fault": KRAFT_CONTROLLER_KILLED},
        {"number": 2, "kind": "elected", "killed": 6, "active": 8, "moving": 2},
    ]
    assert pretended.happened == ["6 killed", "restarted"]


@pytest.mark.parametrize(
    ("answer", "moving"), [(PARTIAL, MOVING), (WHOLE, set())], ids=["one is behind", "none moves"]
)
def test_none_is_killed_otherwise(
    answer: Quorum, moving: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretended = Pretended([answer], [moving])
    assert list(lines(pretended, tmp_path, monkeypatch)) == []
    assert pretended.happened == ["restarted"]


def test_an_election_has_a_time_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elastic_run, "ELECTION_S", 0.0)
    with pytest.raises(StageError, match="no KRaft controller was elected within 0 s"):
        list(lines(Pretended([WHOLE, NONE], [MOVING]), tmp_path, monkeypatch))
