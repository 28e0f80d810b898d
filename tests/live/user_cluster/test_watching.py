"""A watch: views of a topic, the steps of strategies, and how they are shown."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from rich.console import Console

from algorithms.assignment import Observation, registry
from algorithms.autoscaling import strategies
from algorithms.autoscaling.strategy_list import COMPARED
from live.speeds.speed_windows import LogSize
from live.user_cluster import topic_watch
from live.user_cluster.capacity_strategies import CapacityStrategies
from live.user_cluster.service_strategies import ServiceStrategies
from live.user_cluster.strategy_line import StrategyLine
from live.user_cluster.topic_view import TopicView
from live.user_cluster.topic_watch import TopicWatch
from pipeline.base.errors import InputError
from pipeline.cli.live import watch_tables
from pipeline.cli.live.rate_units import byte_rate, rounded_up
from pipeline.cli.live.watched import Watched

pytestmark = pytest.mark.unit


class Clock:
    """Time that passes by sleeping only."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


class Topic:
    """Partition p gets 1000 (p + 1) bytes and p + 1 records each second from the start on."""

    def __init__(self, clock: Clock, partitions: int = 2) -> None:
        self._clock, self.partitions = clock, partitions
        self.is_silent = False

    def read(self, seconds: float) -> dict[int, LogSize]:
        passed = self._clock.now - 100.0
        sizes = [int(1000 * (p + 1) * passed) for p in range(self.partitions)]
        rows = enumerate(sizes)
        return {} if self.is_silent else {p: LogSize(self._clock.now, 1, n) for p, n in rows}

    def ends(self, partitions: range, seconds: float) -> dict[int, int]:
        passed = self._clock.now - 100.0
        return {p: int((p + 1) * passed) for p in partitions}

    def committed(self, partitions: range, seconds: float) -> dict[int, int]:
        return {0: 1}


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(topic_watch, "time", made)
    return made


class Enough(Exception):
    """So many views."""


def views(clock: Clock, topic: Topic, number: int, period_s: float) -> list[TopicView]:
    seen: list[TopicView] = []

    def show(view: TopicView) -> None:
        seen.append(view)
        if len(seen) == number:
            raise Enough

    with pytest.raises(Enough):
        TopicWatch(topic, topic, topic.partitions).views(period_s, show)
    return seen


def test_views_of_a_topic(clock: Clock) -> None:
    all_views = views(clock, Topic(clock), 4, 5.0)
    assert [view.at_s for view in all_views] == [0, 5, 10, 15]
    assert (all_views[0].rates, all_views[0].event_rates) == ({}, {})
    assert all_views[1].rates == pytest.approx({0: 1000.0, 1: 2000.0})
    assert all_views[3].event_rates == pytest.approx({0: 1.0, 1: 2.0})
    assert (all_views[3].lag(0), all_views[3].lag(1)) == (14, None)


def test_new_partitions_are_noticed(clock: Clock) -> None:
    topic = Topic(clock)
    watch = TopicWatch(topic, topic, 2)
    assert watch._view(watch._look()).partitions == 2
    topic.partitions = 3
    assert watch._view(watch._look()).partitions == 3


def test_the_first_view_with_rates(clock: Clock) -> None:
    topic = Topic(clock)
    first = TopicWatch(topic, topic, 2).first(10.0)
    assert first is not None
    assert first.rates == pytest.approx({0: 1000.0, 1: 2000.0})
    assert first.event_rates == pytest.approx({0: 1.0, 1: 2.0})
    silent = Topic(clock)
    silent.is_silent = True
    assert TopicWatch(silent, silent, 2).first(10.0) is None


def test_a_view_of_some_partitions_is_better_than_none(clock: Clock) -> None:
    topic = Topic(clock)
    first = TopicWatch(topic, topic, 3).first(10.0)
    assert first is not None
    assert first.rates.keys() == {0, 1}


def test_moves_of_a_step() -> None:
    rates = np.array([10.0, 20.0, 30.0, np.nan])
    first = StrategyLine("x").after([0, 1, 1, -1], 2, rates)
    assert (first.moves, first.moves_in_all, first.steps) == (0, 0, 1)
    second = first.after([0, 0, 1, 1], 2, rates)
    # A partition that was not there before does not move.
    assert (second.moves, second.moves_in_all, second.steps) == (1, 1, 2)
    assert second.moved == pytest.approx(20 / 60)
    third = second.after([1, 0, 0, -1], 2, np.zeros(4))
    assert (third.moves, third.moved, third.moves_in_all) == (2, 0.0, 3)


def view(rates: Sequence[float], at_s: float = 0.0, lags: Sequence[int] = ()) -> TopicView:
    by_partition = dict(enumerate(rates))
    return TopicView(
        at_s,
        len(rates),
        by_partition,
        by_partition,
        dict.fromkeys(by_partition, 1000),
        {p: 1000 - lag for p, lag in enumerate(lags)},
    )


@pytest.mark.slow
def test_algorithms_step_as_in_the_registry() -> None:
    names = ["MWF", "BFD", "kd_2"]
    stepped = CapacityStrategies(names, 100.0, 4)
    states = {name: registry.get(name).start(4, 100.0, 0) for name in names}
    for rates in ([30.0, 40.0, 50.0, 60.0], [30.0, 90.0, 50.0, 60.0], [5.0, 90.0, 5.0, 5.0]):
        lines = stepped.step(view(rates))
        for line in lines:
            step = registry.get(line.name).step(
                states[line.name], Observation(rates=np.array(rates))
            )
            assert step.owners is not None
            assert list(line.owners) == step.owners.tolist()
            assert line.consumers == len(set(line.owners))
    assert [line.steps for line in lines] == [3, 3, 3]
    assert lines[2].moves_in_all == 0


@pytest.mark.slow
def test_partitions_without_a_rate_are_absent() -> None:
    stepped = CapacityStrategies(["MWF"], 100.0, 3)
    (line,) = stepped.step(TopicView(0.0, 3, {0: 60.0, 2: 60.0}))
    assert line.owners[1] == -1
    assert line.consumers == 2
    (line,) = stepped.step(TopicView(1.0, 3, {}))
    assert line.steps == 1


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["kd_0"], "--strategy kd_0: "),
        (["kd_9"], "--strategy kd_9: "),
        (["x"], "unknown algorithm"),
    ],
)
def test_algorithms_that_do_not_fit(names: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        CapacityStrategies(names, 100.0, 4)


@pytest.mark.slow
def test_strategies_decide_at_their_own_times() -> None:
    stepped = ServiceStrategies(["linear:decision_s=10", "keda_hpa", "MWF"], 100.0, 4, 5.0, True)
    steps = []
    for k in range(4):
        seen = view([60.0, 60.0, 60.0, 60.0], 5.0 * k, [0, 500, 0, 0])
        lines = stepped.step(seen)
        steps.append([line.steps for line in lines])
    # linear every 10 s, KEDA every 15 s, MWF every 30 s.
    assert steps == [[1, 1, 1], [1, 1, 1], [2, 1, 1], [2, 2, 1]]
    linear, keda, mwf = lines
    assert linear.name == "linear:decision_s=10"
    assert 1 < linear.consumers <= 4
    assert len(set(linear.owners)) == linear.consumers
    assert len(set(mwf.owners)) == mwf.consumers
    assert 1 <= keda.consumers <= 4


@pytest.mark.slow
def test_what_arrives_while_looks_fail_counts() -> None:
    """500 events in 65 s without a look, none of them read: the oldest one is 65 s old.

    At the rate of 100 events/s that the next look has, it would be 5 s old.
    """
    text = "time_threshold:in_s=2:out_s=20:decision_s=5"
    stepped = ServiceStrategies([text], 100.0, 2, 5.0, True)
    rates = {0: 100.0, 1: 0.0}
    for at_s in range(0, 35, 5):
        ends = {0: 100 * at_s, 1: 0}
        (line,) = stepped.step(TopicView(float(at_s), 2, rates, rates, ends, ends))
    for at_s in range(35, 95, 5):
        stepped.step(TopicView(float(at_s), 2, {}))
    assert line.consumers == 1
    (line,) = stepped.step(TopicView(95.0, 2, rates, rates, {0: 3500, 1: 0}, {0: 3000, 1: 0}))
    assert line.consumers == 2


@pytest.mark.parametrize(
    ("text", "has_group", "message"),
    [
        ("keda_hpa", False, "--strategy keda_hpa: needs lags; give --group"),
        ("overprovision", True, "--strategy overprovision: needs the greatest rates"),
        ("linear:f_up=7", True, "--strategy linear:f_up=7: f_up must be"),
        ("linear:x=7", True, "--strategy linear:x=7: unknown setting 'x'"),
        ("linear:decision_s=7", True, "decision_s"),
    ],
)
def test_strategies_that_do_not_fit(text: str, has_group: bool, message: str) -> None:
    with pytest.raises(InputError) as caught:
        ServiceStrategies([text], 100.0, 4, 5.0, has_group)
    assert message in str(caught.value)


@pytest.mark.slow
def test_strategies_by_default_need_no_more_than_is_known() -> None:
    with_lags, without = (
        [line.name for line in ServiceStrategies([], 100.0, 2, 5.0, known).step(view([1.0, 1.0]))]
        for known in (True, False)
    )
    assert "overprovision" not in with_lags
    needing = {name for name in COMPARED if "lags" in strategies.get(name).needs}
    assert set(with_lags) - set(without) == needing > {"headroom+placement", "keda_hpa"}


def shown(view: TopicView, lines: Sequence[StrategyLine], most: int, width: int = 100) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        for part in watch_tables.parts(view, lines, "head", ["careful"], most, width):
            console.print(part)
    return capture.get().replace("\u00a0", " ")


def test_tables() -> None:
    seen = TopicView(5.0, 3, {0: 1500.0, 1: 0.0}, {0: 15.25}, {0: 1000, 1: 5, 2: 7}, {0: 990, 2: 0})
    lines = [StrategyLine("MWF", 2, (0, 0, 1), 2, 1, 0.25, 3), StrategyLine("BFD")]
    text = shown(seen, lines, 3)
    rows = [line.split() for line in text.splitlines()]
    heads = ["partition", "rate", "events/s", "end", "offset", "committed", "lag", "lag,", "s"]
    assert [*heads, "→", "MWF", "→", "BFD"] in rows
    # The second strategy has not decided yet.
    assert ["0", "1.50", "kB/s", "15.2", "1,000", "990", "10", "0.7", "0", "–"] in rows
    assert ["1", "0", "B/s", "–", "5", "–", "–", "–", "0", "–"] in rows
    assert ["2", "–", "–", "7", "0", "7", "–", "1", "–"] in rows
    assert ["total", "1.50", "kB/s", "15.2", "1,012", "17", "0.7"] in rows
    assert ["MWF", "2", "1", "25.0", "%", "3"] in rows
    assert ["BFD", "–", "–", "–", "–"] in rows
    assert rows[0] == ["head"]
    assert rows[-1] == ["Note:", "careful"]


@pytest.mark.parametrize("width", [64, 75, 80, 81, 103, 104, 111, 112, 120])
def test_owners_are_shown_as_far_as_a_terminal_is_wide(width: int) -> None:
    seen = TopicView(5.0, 2, {0: 1500.0, 1: 2e6}, {0: 15.25}, {0: 1000, 1: 5}, {0: 990})
    names = ("MWF", "headroom+placement", "BFD")
    lines = [StrategyLine(name, 1, (0, -1), 2, 0, 0.0, 0) for name in names]
    alone = max(map(len, shown(seen, [], 2, 200).splitlines()))
    rows = shown(seen, lines, 2, width).splitlines()
    (head,) = [row for row in rows if row.lstrip().startswith("partition")]
    # All or nothing of a strategy, the first ones first, and nothing is cut off or folded.
    visible = tuple(name for name in names if f"→ {name}" in head)
    assert visible == names[: len(visible)]
    assert "…" not in head
    assert max(map(len, rows)) <= width
    needed = [alone + sum(len(name) + 5 for name in names[:k]) for k in (1, 2, 3)]
    assert len(visible) == sum(width >= least for least in needed)


def test_lag_in_seconds_is_that_of_the_rate() -> None:
    """Ten events at 4 per second; nothing to read; a lag without a rate; no offset."""
    rates, ends = {0: 4.0, 1: 0.0, 3: 4.0}, {0: 30, 1: 5, 2: 7, 3: 9}
    seen = TopicView(5.0, 4, {}, rates, ends, {0: 20, 1: 5, 2: 0})
    assert [seen.lag_s(p) for p in range(4)] == [2.5, 0.0, None, None]
    text = shown(seen, [], 4, 60)
    assert "lag" in text
    assert "lag, s" not in text


def test_a_small_terminal_shows_the_fastest_partitions() -> None:
    seen = TopicView(5.0, 40, {p: float(p % 7) for p in range(40)})
    text = shown(seen, [], watch_tables.rows_that_fit(20, 3))
    rows = [line.split()[0] for line in text.splitlines() if line.strip()]
    assert rows[3:-2] == ["5", "6", "13", "20", "27", "34", "34"]
    assert "34 slower" in text
    assert rows[-2] == "total"
    assert watch_tables.rows_that_fit(60, 3) == 46


@pytest.mark.parametrize(
    ("rate", "text"),
    [(0.0, "0 B/s"), (999.4, "999 B/s"), (1000.0, "1.00 kB/s"), (2e6, "2.00 MB/s"),
     (5e12, "5,000 GB/s")],
)  # fmt: skip
def test_units_of_rates(rate: float, text: str) -> None:
    assert byte_rate(rate).replace("\u00a0", " ") == text


@pytest.mark.parametrize(("rate", "capacity"), [(98_300, 99_000), (1.0, 1.0), (0.123, 0.13)])
def test_capacity_from_the_highest_rate(rate: float, capacity: float) -> None:
    assert rounded_up(rate) == pytest.approx(capacity)


@pytest.mark.parametrize(
    ("capacity", "mu", "names", "group", "message"),
    [
        (0.0, None, [], None, "`--capacity` must be finite and above 0 (got 0)"),
        (None, float("nan"), [], None, "`--mu` must be finite and above 0 (got nan)"),
        (1.0, 1.0, [], None, "give either `--capacity`, bytes/s, or `--mu`, events/s, not both"),
        (None, None, [], "", "`--group` must not be empty"),
        (None, None, ["linear"], None, "--strategy linear: unknown algorithm 'linear'"),
        (None, 5.0, ["lin:h=1"], None, "--strategy lin:h=1: unknown strategy 'lin'"),
    ],
)
def test_options(
    capacity: float | None, mu: float | None, names: list[str], group: str | None, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        Watched(names, capacity, mu, 5.0, group)
    assert message in str(caught.value)


@pytest.mark.slow
def test_a_capacity_that_is_not_given_is_fixed_at_the_first_rates() -> None:
    watched = Watched(["MWF"], None, None, 5.0, "g")
    heads, said, rows = [], [], []

    def screen(
        view: TopicView, lines: Sequence[StrategyLine], head: str, notes: Sequence[str]
    ) -> None:
        heads.append(head.replace("\u00a0", " "))
        said.append(list(notes))
        rows.append(list(lines))

    for rates in ([], [0.0, 0.0], [60.0, 41.0], [600.0, 41.0]):
        watched.show(TopicView(0.0, 2, dict(enumerate(rates)), {}, {0: 1}), screen)
    assert [len(each) for each in rows] == [0, 0, 1, 1]
    assert ["capacity" in head for head in heads] == [False, False, True, True]
    assert heads[2].endswith("capacity 60.0 B/s")
    assert heads[3].endswith("capacity 60.0 B/s")
    assert "no rates yet" in said[0][0]
    assert "Set --capacity" in said[3][0]
    assert said[3][1] == "group g has committed nothing for this topic"
    assert rows[3][0].steps == 2


@pytest.mark.slow
def test_a_topic_that_grows_starts_the_strategies_again() -> None:
    watched = Watched(["MWF"], 100.0, None, 5.0, None)
    steps = []
    for partitions in (2, 2, 3):
        rates = dict.fromkeys(range(partitions), 10.0)
        watched.show(
            TopicView(0.0, partitions, rates), lambda v, lines, *_: steps.append(lines[0].steps)
        )
    assert steps == [1, 2, 1]
