"""One group from its looks to its answers."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest

from algorithms.assignment.algorithm import Decision
from live.scaler import scaler_metrics
from live.scaler.group_look import Look, NoLook
from live.scaler.recent_counts import HOUR_S, RecentCounts
from live.scaler.scaled_target import ScaledTarget
from live.scaler.scaler_settings import Clock, ScalerTarget
from pipeline.base.errors import InputError
from tests.live.scaler.scaler_fakes import STRATEGY, TARGET, look

pytestmark = pytest.mark.unit


class Group:
    """A group of two members and 9 partitions, of which looks are taken every 5 s."""

    def __init__(
        self, target: ScalerTarget = TARGET, rows: tuple[tuple[float, int], ...] = ()
    ) -> None:
        self.now_s, self.end, self.members = 0.0, 0, 2
        self.partitions = 9
        self.sizes: tuple[int, ...] = (9,)
        self.fault, self.on_one_host = "", False
        self.lines: list[dict[str, Any]] = []
        recent = RecentCounts(list(rows))
        self.target = ScaledTarget(
            "shop/billing", target, Clock(), recent, self._look, lambda: self.now_s, self._log
        )

    def pass_(self, rate: float, looks: int = 1) -> int | None:
        """Let events arrive at a rate in all, and look."""
        for _ in range(looks):
            self.now_s += 5.0
            self.end += round(rate * 5.0 / self.partitions)
            self.target.look()
        return self.answer()

    def answer(self) -> int | None:
        return self.target.asked().replicas

    @property
    def state(self) -> str:
        return self.target.answer().state

    def _look(self) -> Look:
        if self.fault:
            raise NoLook(self.fault)
        ends = (self.end,) * self.partitions
        taken = look(self.now_s, *ends, members=self.members, sizes=self.sizes)
        if self.on_one_host:
            members = tuple(member._replace(host="h0") for member in taken.members)
            taken = replace(taken, members=members)
        return taken

    def _log(self, what: str, **values: Any) -> None:
        self.lines.append(values)


def test_the_first_look_tells_no_rates_and_the_second_decides() -> None:
    group = Group()
    assert group.answer() is None
    assert (group.pass_(180.0), group.state) == (None, "unknown")
    assert (group.pass_(180.0), group.state) == (2, "seeing")
    assert group.pass_(540.0) == 6


def test_a_decision_a_look_however_often_keda_asks() -> None:
    group = Group()
    group.pass_(180.0, 3)
    answers = [group.answer() for _ in range(50)]
    assert (set(answers), group.target.tally.decision_count) == ({2}, 2)


def test_a_line_for_each_changed_decision_with_its_reason() -> None:
    group = Group()
    group.pass_(180.0, 5)
    group.pass_(540.0, 5)
    group.fault = "no broker answers"
    group.pass_(0.0, 15)
    counts = [(line["state"], line["before"], line["replicas"]) for line in group.lines]
    assert counts == [
        ("unknown", None, None),
        ("seeing", None, 2),
        ("seeing", 2, 6),
        ("blind", 6, 6),
        ("blind_long", 6, 6),
    ]
    assert (
        group.lines[2]["reason"]
        == f"{STRATEGY} decides on 6 at 540 events/s and a lag of 0 records"
    )
    assert "no broker answers" in group.lines[3]["reason"]


def test_the_first_look_after_blindness_does_not_shrink_the_group() -> None:
    group = Group()
    group.pass_(720.0, 3)
    group.pass_(180.0, 3)
    group.fault = "no broker answers"
    assert (group.pass_(0.0, 13), group.state) == (8, "blind_long")
    group.fault = ""
    assert (group.pass_(0.0), group.state) == (8, "blind_long")
    assert (group.pass_(180.0), group.state) == (2, "seeing")
    assert group.target.tally.total_unseen_s == 65.0


def test_a_group_nobody_asked_for_in_an_hour_starts_anew() -> None:
    group = Group()
    group.pass_(180.0, 3)
    group.now_s += HOUR_S - 1
    assert group.target.is_asked_for
    group.now_s += 1
    assert not group.target.is_asked_for
    assert group.answer() is None
    assert group.target.is_asked_for
    assert group.pass_(180.0, 2) == 2


def test_several_members_a_replica() -> None:
    group = Group(replace(TARGET, members_per_replica=3, max_replicas=4))
    group.members = 3
    # Each member serves a third of 100 events/s: 9 of them are needed, 3 replicas.
    assert group.pass_(270.0, 3) == 3
    # Beyond 9 partitions, members have nothing to do.
    assert group.pass_(2000.0) == 3


def test_members_per_replica_are_those_of_a_host_once_hosts_have_as_many() -> None:
    group = Group()
    group.members = 0
    assert group.pass_(180.0, 3) is None
    assert group.target.answer().reason == (
        "`members_per_replica` must be stated where it cannot be seen (the group has no members)"
    )
    group.members, group.on_one_host = 3, True
    assert group.pass_(180.0, 3) is None
    assert "(the group has 3 members on one host)" in group.target.answer().reason
    group.members = 1
    assert group.pass_(180.0, 2) == 2
    group.members = 0
    assert (group.pass_(180.0), group.state) == (2, "seeing")


def test_replicas_at_the_start_hold_without_counts_of_the_last_hour() -> None:
    group = Group()
    group.members = 5
    assert group.pass_(180.0, 3) == 5
    assert Group(rows=((-60.0, 3),)).pass_(180.0, 3) == 3
    assert Group(rows=((-HOUR_S, 3),)).pass_(90.0, 3) == 1


def test_further_partitions_keep_the_count_until_there_are_rates() -> None:
    group = Group()
    group.pass_(540.0, 3)
    group.partitions, group.sizes = 12, (12,)
    assert (group.pass_(540.0), group.state) == (6, "seeing")
    assert group.pass_(1080.0) == 9


@pytest.mark.parametrize(("sizes", "count"), [((6,), 3), ((4, 2), 4)])
def test_topics_are_placed_as_the_assignor_places_them(sizes: tuple[int, ...], count: int) -> None:
    """Under range, the first of three members gets 3 of 4 + 2 partitions, at 45 events/s each."""
    topics = ("bills", "orders")[: len(sizes)]
    target = replace(TARGET, topics=topics, strategy="headroom:h=1:hold=30")
    group = Group(target, ((-60.0, 1),))
    group.partitions, group.sizes = sum(sizes), sizes
    assert group.pass_(270.0, 3) == count


def test_a_topic_that_grows_keeps_the_count_until_there_are_rates() -> None:
    group = Group(replace(TARGET, topics=("a", "b")))
    group.sizes = (4, 5)
    group.pass_(540.0, 3)
    group.sizes = (5, 4)
    assert (group.pass_(540.0), group.state) == (6, "seeing")
    assert "kept at the 6" not in group.target.answer().reason
    assert group.pass_(180.0) == 6
    assert (
        "kept at the 6 asked for before a topic's partitions changed"
        in group.target.answer().reason
    )


@pytest.mark.parametrize("count", [float("nan"), float("inf"), -1e999])
def test_a_strategy_that_fails_is_blindness(monkeypatch: pytest.MonkeyPatch, count: float) -> None:
    from algorithms.autoscaling.strategy import Strategy

    group = Group()
    group.pass_(180.0, 3)
    monkeypatch.setattr(Strategy, "step", lambda *_: Decision(replicas=count))  # type: ignore[arg-type]
    group.pass_(180.0)
    assert (group.answer(), group.state) == (2, "blind")
    assert "a count must be an integer" in group.target.answer().reason


def test_metrics_name_the_error_and_every_state() -> None:
    group = Group()
    group.fault = 'a "quoted"\nreason'
    group.pass_(0.0)
    text = scaler_metrics.text([group.target])
    labels = 'namespace="shop",name="billing"'
    assert f'groupscale_scaler_state{{{labels},state="unknown"}} 1\n' in text
    assert f'groupscale_scaler_error{{{labels},reason="a \\"quoted\\"\\nreason"}} 1\n' in text
    assert "groupscale_scaler_replicas{" not in text
    group.fault = ""
    group.pass_(180.0, 2)
    text = scaler_metrics.text([group.target])
    assert f"groupscale_scaler_replicas{{{labels}}} 2\n" in text
    assert f"groupscale_scaler_failed_looks_total{{{labels}}} 1\n" in text
    assert "groupscale_scaler_error{" not in text


def test_answers_do_not_wait_for_a_look() -> None:
    waiting, done = threading.Event(), threading.Event()

    def slow() -> Look:
        waiting.set()
        done.wait(10)
        raise NoLook("late")

    target = ScaledTarget(
        "shop/billing", TARGET, Clock(), RecentCounts(), slow, lambda: 0.0, lambda *_, **__: None
    )
    thread = threading.Thread(target=target.look)
    thread.start()
    assert waiting.wait(10)
    assert target.asked().state == "unknown"
    done.set()
    thread.join(10)


class _Waiting:
    """A strategy's step that begins, and waits until the test lets it go on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from algorithms.autoscaling.strategy import Strategy

        self._begun, self._may_end = threading.Event(), threading.Event()
        monkeypatch.setattr(Strategy, "step", self._step)

    def during(self, group: Group) -> threading.Thread:
        """A look that is in its decision; `end` ends it."""
        group.now_s += 5.0
        thread = threading.Thread(target=group.target.look)
        thread.start()
        assert self._begun.wait(10)
        return thread

    def end(self, thread: threading.Thread) -> None:
        self._may_end.set()
        thread.join(10)
        assert not thread.is_alive()

    def _step(self, *_: object) -> Decision:
        self._begun.set()
        self._may_end.wait(10)
        return Decision(replicas=7)


def test_answers_do_not_wait_for_a_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    group = Group()
    group.pass_(180.0, 3)
    waiting = _Waiting(monkeypatch)
    thread = waiting.during(group)
    assert (group.answer(), group.state) == (2, "seeing")
    assert "groupscale_scaler_replicas" in scaler_metrics.text([group.target])
    assert thread.is_alive()
    waiting.end(thread)
    assert group.answer() == 7


def test_a_decision_for_a_group_that_starts_anew_meanwhile_is_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    group = Group()
    group.pass_(180.0, 3)
    waiting = _Waiting(monkeypatch)
    thread = waiting.during(group)
    group.now_s += HOUR_S
    assert group.answer() is None
    waiting.end(thread)
    assert group.answer() is None


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        ("headroom+placement", "places partitions, which needs a controller"),
        ("BFD", "places partitions, which needs a controller"),
        ("sticky", "is an assignor, which members have"),
        ("overprovision", "needs rates that are not known of a live topic"),
        ("mpc", "plans with compiled code"),
        ("dqn", "needs a trained policy"),
        ("headroom:assignor=kip169", "has the assignor kip169"),
        ("headroom:sweep", "must be one strategy"),
        ("headroom:mu=3", "mu does not belong here"),
        ("headroom:cooldown_s=3", "cooldown_s is for simulations"),
        ("headroom:hh=3", "unknown parameter 'hh'"),
        ("headroom:h=-1", "h must be above 0"),
        ("headroom:decision_s=7", "decision_s must be a multiple of step_s, 5.0 s"),
        ("hedroom", "unknown strategy 'hedroom'"),
    ],
)
def test_a_strategy_that_cannot_decide_here_is_refused_in_one_line(
    strategy: str, said: str
) -> None:
    with pytest.raises(InputError) as caught:
        Group(replace(TARGET, strategy=strategy))
    assert str(caught.value).startswith(f"`strategy` {strategy}: ")
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
