"""When a full disk gets its space back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from live.brokers import elastic_run
from live.brokers.elastic_choices import DISK_FULL, ElasticChoices
from live.brokers.scaling_journal import UP, Scaling

pytestmark = pytest.mark.unit

Watch = Callable[[Scaling, str], None]


class Pretended:
    """A cluster whose broker 4 joins while its disk is filled.

    phases: Of the scaling, as it asks for faults; 10 s pass with each.
    is_undone: Whether the broker is taken out again.
    """

    def __init__(self, phases: list[str], is_undone: bool = False) -> None:
        self._phases, self._is_undone = phases, is_undone
        self.seconds = 0.0
        self.happened: list[str] = []
        self.brokers = [1, 2, 3]

    def moving(self) -> set[tuple[str, int]]:
        return {("elastic", 3)}

    def give_disk(self, broker: int) -> None:
        self.happened.append(f"{broker} has a disk")

    def fill_disk(self, broker: int) -> None:
        self.happened.append(f"{broker} full")

    def make_room(self, broker: int) -> None:
        self.happened.append(f"{broker} has space")

    def failures(self) -> dict[int, str]:
        return {}

    def restart_controllers(self) -> None:
        self.happened.append("end")

    def scale(self, scaling: Scaling, watch: Watch) -> None:
        if scaling.kind == UP and scaling.broker == 4 and not self._is_undone:
            self.brokers.append(4)
        for phase in self._phases:
            watch(scaling, phase)
            self.seconds += 10.0


def happened(pretended: Pretended, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What happens in a scaling with the fault, and in the next one, without."""
    clock = SimpleNamespace(monotonic=lambda: pretended.seconds, monotonic_ns=lambda: 1)
    monkeypatch.setattr(elastic_run, "time", clock)
    monkeypatch.setattr(elastic_run, "BrokerAdmin", lambda _: pretended)
    load: Any = SimpleNamespace(status=lambda: None)
    own: Any = pretended
    scalings = elastic_run._Scalings(own, own, load, ElasticChoices(), [DISK_FULL], 1, folder)
    monkeypatch.setattr(scalings, "_wait", lambda _: None)
    scalings._one(Scaling(2, UP, 4))
    scalings._one(Scaling(3, UP, 5))
    return pretended.happened


@pytest.mark.parametrize("later", ["moved", "verified"])
def test_after_a_while_whatever_the_scaling_waits_for(
    later: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretended = Pretended(["submitted", "moved", *[later] * 4])
    expected = ["4 has a disk", "4 full", "4 has space", "end", "end"]
    assert happened(pretended, tmp_path, monkeypatch) == expected
    assert elastic_run.FULL_S == 20.0


def test_at_the_end_if_everything_had_arrived_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not the disk of the next broker, which has none of its own."""
    pretended = Pretended(["moved", "verified"])
    expected = ["4 has a disk", "4 full", "4 has space", "end", "end"]
    assert happened(pretended, tmp_path, monkeypatch) == expected


def test_not_if_the_broker_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pretended = Pretended(["moved", "verified"], is_undone=True)
    assert happened(pretended, tmp_path, monkeypatch) == ["4 has a disk", "4 full", "end", "end"]
