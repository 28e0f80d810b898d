"""Members of a group that follows a scaler, whose answers and clock the test sets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from algorithms.autoscaling.blind_answers import FAILURE_THRESHOLD
from live.groups.deployed_form import DeployedForm, deployed_form
from live.groups.keda_player import ANSWERED, FALLBACK, HELD
from live.groups.keda_trigger import NoAnswer
from live.groups.lag_counts import Wish
from live.groups.scaler_client import ScalerClient
from live.groups.synced_counts import AFTER_LOOK_S, ScalerFailed, SyncedCounts
from live.records import journal
from live.records.journal import Journal
from tests.live.kafka_probe import run_settings

pytestmark = pytest.mark.unit

LABEL = "keda_http:headroom:h=1.15:hold=30"
RATES = [[60_000.0] * 8, [100_000.0] * 8]
"""Bytes/s of two iterations: 2.4 and 4 times C."""

PACE = 4 / 30


class FakeClient(ScalerClient):
    """The answer that the test has set."""

    answer: int | None = None
    questions = 0
    is_closed = False

    def close(self) -> None:
        self.is_closed = True

    def _asked(self) -> int:
        self.questions += 1
        if self.answer is None:
            raise NoAnswer("closed")
        return self.answer


class FakeScaler:
    """A process that may have ended."""

    ended: int | None = None

    def status(self) -> int | None:
        return self.ended

    def why(self) -> str:
        return f"exit status {self.ended}"


class Run:
    """A run's group; times are the strategies' seconds."""

    def __init__(self, folder: Path, label: str = LABEL) -> None:
        self.form = form(folder, label)
        self.client = FakeClient(folder, self.form.argument("look_s"))
        self._file = folder / "controller.jsonl"
        self.journal = Journal(self._file, lambda: 0)
        self.scaler: Any = FakeScaler()
        self.counts = SyncedCounts(self.form, self.client, self.scaler, self.journal)

    def due(self, time_s: float, members: int) -> Wish | None:
        return self.counts.due(7 + round(time_s * PACE * 1e9) + 1000, members)

    def said(self, what: str) -> list[dict[str, Any]]:
        return [entry for entry in journal.entries(self._file) if entry["what"] == what]


def form(folder: Path, label: str = LABEL) -> DeployedForm:
    return deployed_form(label, run_settings("", folder, partitions=8), RATES)


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    made = Run(tmp_path)
    yield made
    made.journal.close()


def test_the_form_of_a_run(tmp_path: Path) -> None:
    own = form(tmp_path, "keda_external:headroom:h=1.15:look_s=10:min_replicas=2")
    assert (own.trigger, own.argument("look_s"), own.argument("sync_s")) == (
        "keda_external",
        10.0,
        15.0,
    )
    assert own.inner.startswith("headroom:h=1.15:")
    assert "look_s" not in own.inner
    assert "replicas" not in own.inner
    assert (own.settings.initial_replicas, own.settings.min_replicas, own.peak) == (3, 2, 4)


def test_nothing_is_asked_before_the_run_begins(run: Run) -> None:
    run.client.answer = 5
    assert run.due(1000.0, 3) is None
    assert run.client.questions == 0
    (entry,) = run.said("scaling")
    assert (entry["strategy"], entry["replicas"]) == (LABEL, 3)
    assert entry["decision_s"] == pytest.approx(15 * PACE)


def test_an_answer_is_followed_at_each_sync(run: Run) -> None:
    run.counts.begin(7)
    run.client.answer = 5
    # The scaler's first decision needs two looks: at 0 s there is none.
    first_s = 15.0 + AFTER_LOOK_S
    assert run.due(first_s - 0.1, 3) is None
    assert run.due(first_s, 3) == Wish(5)
    assert run.due(first_s + 14.9, 5) is None
    run.client.answer = 4
    assert run.due(first_s + 15.0, 5) == Wish(4)
    rows = [(e["answer"], e["members"], e["why"]) for e in run.said("sync")]
    assert rows == [(5, 5, ANSWERED), (4, 4, ANSWERED)]
    assert run.said("fault") == []


def test_without_answers_the_group_holds_until_polls_and_syncs_have_failed(run: Run) -> None:
    run.counts.begin(7)
    members, rows = 3, []
    for k in range(1, 8):
        wish = run.due(k * 15.0 + AFTER_LOOK_S, members)
        assert wish is not None
        members = wish.members
        rows.append((members, run.said("sync")[-1]["why"]))
    # A poll with every second sync: the sixth sync is failure number 9.
    before = [(3, HELD)] * 5
    assert rows == [*before, (4, FALLBACK), (4, FALLBACK)]
    assert len(run.said("fault")) == 7 + 3 > FAILURE_THRESHOLD
    assert {(e["kind"], e["message"]) for e in run.said("fault")} == {("scaler", "closed")}
    run.client.answer = 2
    assert run.due(8 * 15.0 + AFTER_LOOK_S, members) == Wish(2)


def test_the_scaler_says_when_the_run_may_begin(run: Run, tmp_path: Path) -> None:
    assert not run.counts.is_ready
    (tmp_path / "scaler.json").write_text("{}")
    assert run.counts.is_ready
    assert run.counts.children == (run.scaler,)


def test_a_scaler_that_ends_before_the_run_begins_fails_it(run: Run) -> None:
    run.scaler.ended = 1
    with pytest.raises(ScalerFailed, match="the scaler has failed: exit status 1"):
        assert run.counts.is_ready


def test_what_has_no_answer_yet_is_not_asked(tmp_path: Path) -> None:
    """Two looks take 40 s: syncs at 45 s and polls at 60 s are the first ones."""
    slow = Run(tmp_path, LABEL + ":look_s=40")
    slow.counts.begin(7)
    slow.client.answer = 3
    for time_s in (16.0, 31.0, 44.0):
        assert slow.due(time_s, 3) is None
    assert slow.client.questions == 0
    assert slow.due(45.0 + AFTER_LOOK_S, 3) == Wish(3)
    slow.due(59.0, 3)
    assert slow.client.questions == 1
    slow.due(60.0 + AFTER_LOOK_S, 3)
    # A poll and a sync.
    assert slow.client.questions == 3
    slow.journal.close()


def test_closing_closes_what_is_asked(run: Run) -> None:
    run.counts.close()
    assert run.client.is_closed
