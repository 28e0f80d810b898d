"""A broker that ends by itself ends the run, unless the scaling counts that or has killed it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from live.brokers import elastic_run
from live.brokers.elastic_choices import KILLED, ElasticChoices
from live.brokers.scaling_journal import DOWN, UP, Scaling
from pipeline.base.errors import StageError

pytestmark = pytest.mark.unit


class Pretended:
    """A cluster whose broker ends by itself.

    broker: The one that ends.
    phase: When; "still" for before the scaling, "end" for when our controller is done.
    is_restarted: Whether it runs again at the end.
    """

    def __init__(self, broker: int, phase: str, is_restarted: bool = False) -> None:
        self._broker, self._phase, self._is_restarted = broker, phase, is_restarted
        self.ended: dict[int, str] = {}
        self.brokers = [1, 2, 3, 4]

    def at(self, phase: str) -> None:
        if phase == self._phase:
            self.kill(self._broker)

    def kill(self, broker: int) -> None:
        self.ended[broker] = f"node {broker} has ended"

    def failures(self) -> dict[int, str]:
        return self.ended

    def moving(self) -> set[tuple[str, int]]:
        return {("elastic", 3)}

    def restart_controllers(self) -> None:
        """None was killed."""

    def scale(self, scaling: Scaling, watch: Callable[[Scaling, str], None]) -> None:
        for phase in ("submitted", "moved", "moved", "verified", "end"):
            self.at(phase)
            if phase != "end":
                watch(scaling, phase)
        if self._is_restarted:
            self.ended.clear()


def scale(
    pretended: Pretended, scaling: Scaling, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(elastic_run, "BrokerAdmin", lambda _: pretended)
    load: Any = SimpleNamespace(status=lambda: None)
    own: Any = pretended
    scalings = elastic_run._Scalings(own, own, load, ElasticChoices(), [KILLED], 1, folder)

    def still(_: float) -> None:
        pretended.at("still")
        scalings._check()

    monkeypatch.setattr(scalings, "_wait", still)
    scalings._one(scaling)


UP_1, DOWN_1, DOWN_2 = Scaling(1, UP, 4), Scaling(1, DOWN, 4), Scaling(2, DOWN, 4)
"""Every second scaling has the fault, which kills its broker."""


@pytest.mark.parametrize(
    ("scaling", "broker", "phase"),
    [
        (UP_1, 2, "still"),
        (UP_1, 2, "moved"),
        (UP_1, 2, "end"),
        (UP_1, 4, "end"),
        (DOWN_1, 4, "still"),
        (DOWN_1, 4, "verified"),
        (DOWN_2, 3, "verified"),
    ],
)
def test_the_run_ends(
    scaling: Scaling, broker: int, phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its scalings would count as ones without a fault."""
    with pytest.raises(StageError, match=f"^node {broker} has ended$"):
        scale(Pretended(broker, phase), scaling, tmp_path, monkeypatch)


@pytest.mark.parametrize(("scaling", "phase"), [(UP_1, "moved"), (UP_1, "verified"), (DOWN_2, "")])
def test_the_run_goes_on(
    scaling: Scaling, phase: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A broker that joins is restarted, and one that was to leave has been killed."""
    scale(Pretended(4, phase, is_restarted=True), scaling, tmp_path, monkeypatch)
