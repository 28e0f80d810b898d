"""Strategies that decide on a count, place, and scale a StatefulSet, in a group without an end."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from algorithms.core.arrays import Floats
from live.controller.scaled_decisions import ScaledDecisions
from live.controller.scaled_start import scaled_decisions
from live.controller.scaled_strategy import Lags, ScaledStrategy
from live.live_settings import LiveSettings
from live.records.journal import Journal
from live.user_cluster import controlled_strategy
from live.user_cluster.program_group import ProgramGroup
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit

P = 6
LABEL = "controller:headroom+placement:h=1.5:hold=10"
SECOND = 1_000_000_000
BEGAN = 1000 * SECOND

SETTINGS = LiveSettings(
    run="orders",
    bootstrap="",
    folder="",
    partitions=P,
    capacity=2e7,
    consumer_rate=2e7,
    iteration_s=10.0,
    iterations=1,
    record_bytes=0,
)


class Steps:
    """Bytes/s of a partition, the same for all; may be changed."""

    def __init__(self, rate: float) -> None:
        self.rate = rate

    def of_steps(self, first: int, last: int) -> Floats:
        return np.full((last - first, P), self.rate)

    def are_known(self, now_ns: int) -> bool:
        return True


def no_lags() -> Lags:
    return Lags(np.zeros(P), np.ones(P, np.bool_))


def owners_by_second(
    steps: Steps, changes: dict[int, float], seconds: int
) -> list[tuple[int, ...]]:
    """Owners of a group whose moves take no time."""
    settings = controlled_strategy.endless(SETTINGS)
    strategy = ScaledStrategy(LABEL, settings, [[0.0] * P])
    decisions = ScaledDecisions(strategy, steps, no_lags, settings)
    first = decisions.due(1, 0, None)
    assert first is not None
    owners, rows = first.owners, []
    for second in range(seconds):
        steps.rate = changes.get(second, steps.rate)
        wanted = decisions.due(BEGAN + second * SECOND, BEGAN, owners)
        owners = owners if wanted is None else wanted.owners
        rows.append(owners)
    return rows


def test_a_group_decides_for_as_long_as_it_is_wanted() -> None:
    """6 partitions of 5 MB/s with a margin of 1.5 need 3 consumers of 20 MB/s; of 1 MB/s, one.

    The look at 60 s sees a mean of 4.2 MB/s, which needs 2 and is held for 10 s.
    """
    rows = owners_by_second(Steps(5e6), {60: 1e6, 120: 5e6}, 180)
    assert rows[4] == (0,) * P
    assert rows[5] != rows[4]
    for second in (40, 59, 179):
        assert sorted(set(rows[second])) == [0, 1, 2], second
    used = [len(set(owners)) for owners in rows]
    assert (used[64], used[65], used[69], used[70], used[119]) == (3, 2, 2, 1, 1)


def test_slots_in_use_are_the_first_ones() -> None:
    rows = owners_by_second(Steps(5e6), {30: 3e6, 60: 1e6, 90: 2e6}, 150)
    for owners in rows:
        assert sorted(set(owners)) == list(range(max(owners) + 1))


class NoTopic:
    """A topic, or lags, of which nothing is read."""

    def __init__(self, *arguments: object) -> None:
        self.reject = self.take = None


def test_no_file_of_rates_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TopicReader", "LagReader"):
        monkeypatch.setattr(f"live.controller.scaled_start.{name}", NoTopic)
    settings = controlled_strategy.endless(SETTINGS)
    with Journal(tmp_path / "j.jsonl", lambda: 0, pid=1) as journal:
        decisions = scaled_decisions(settings, LABEL, tmp_path / "rates.bin", journal)
    assert isinstance(decisions, ScaledDecisions)


def test_bytes_are_counted_where_records_have_any_size() -> None:
    assert SETTINGS.sizes == (P, 2e7, 2e7, 1, 10.0)
    assert controlled_strategy.endless(SETTINGS).record_bytes == 0


@pytest.mark.parametrize("label", ["controller:linear+placement:max_replicas=4", LABEL])
def test_what_a_controller_runs(label: str) -> None:
    controlled_strategy.check(label, SETTINGS)
    ProgramGroup(SETTINGS, label, "order_totals")


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (
            "controller:threshold+placement",
            "threshold decides on more than rates.*choose one of controller:constant[+]placement",
        ),
        ("controller:headroom+placement:h=0", "h must be above 0"),
        ("controller:headroom+placement:max_replicas=7", "max_replicas must be at most 6"),
        ("controller:headroom+placement:protocol=eager", "protocol is incremental under"),
        ("controller:headroom+placement:sweep", "write one strategy of the sweep"),
        ("controller:headroom", "headroom leaves placement to an assignor"),
    ],
)
def test_what_a_controller_does_not_run(label: str, words: str) -> None:
    with pytest.raises(InputError, match=f"^`strategy` .*{words}"):
        controlled_strategy.check(label, SETTINGS)


def test_a_strategy_without_a_statefulset_is_refused() -> None:
    with pytest.raises(InputError, match="choose an algorithm"):
        ProgramGroup(SETTINGS, "headroom+placement", "order_totals")
