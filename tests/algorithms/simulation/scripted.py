"""A strategy that answers from a list and notes what it sees."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import Group, Seen, Strategy
from algorithms.autoscaling.dispatch import decides
from algorithms.core.arrays import Floats, Longs
from algorithms.core.compiled import allocating_unkept
from tests.algorithms.simulation.plain_settings import Answer, Sight


class Script(NamedTuple):
    """Answers, and notes of each call: numbers, then lags, rates, owners and consumed flags."""

    partitions: int
    calls: Longs
    counts: Longs
    kinds: Longs
    afters: Longs
    numbers: Floats
    notes: Floats
    events: Floats


def start(group: Group, *, answers: list[Answer]) -> Script:
    n, p = len(answers), group.partitions
    script = Script(
        partitions=p,
        calls=np.zeros(1, np.int64),
        counts=np.full(n, -1, np.int64),
        kinds=np.zeros(n, np.int64),
        afters=np.zeros((n, p), np.int64),
        numbers=np.zeros((n, 3)),
        notes=np.zeros((n, 4, p)),
        events=np.zeros((n, 64)),
    )
    for i, answer in enumerate(answers):
        if answer is not None:
            script.counts[i], script.kinds[i], script.afters[i] = answer
    STARTED.append(script)
    return script


STARTED: list[Script] = []
"""Scripts of the runs so far; the last is that of the last run."""


@decides(Script)
@allocating_unkept
def _decide(state: Script, seen: Seen, after: Longs) -> tuple[int, int]:
    i = state.calls[0]
    state.calls[0] += 1
    state.numbers[i, 0] = seen.time
    state.numbers[i, 1] = seen.step
    state.numbers[i, 2] = seen.replicas
    for p in range(seen.lags.shape[0]):
        state.notes[i, 0, p] = seen.lags[p]
        state.notes[i, 1, p] = seen.rates[p]
        state.notes[i, 2, p] = seen.owners[p]
        state.notes[i, 3, p] = seen.consumed[p]
        after[p] = state.afters[i, p]
    for w in range(seen.counts.shape[0]):
        state.events[i, w] = seen.counts[w]
    return state.counts[i], state.kinds[i]


def strategy(answers: list[Answer]) -> Strategy:
    """A strategy that gives these answers, None for none, one after the other."""
    return Strategy(
        name="scripted",
        title="answers from a list",
        family="counting",
        paper="none",
        module=__name__,
        settings=(("answers", answers),),
    )


class Reader:
    """The same answers for the plain simulation, and what it sees."""

    def __init__(self, answers: list[Answer]) -> None:
        self.answers, self.sights = answers, list[Sight]()

    def __call__(self, sight: Sight) -> Answer:
        self.sights.append(sight)
        return self.answers[len(self.sights) - 1]


def check_sights(script: Script, sights: list[Sight]) -> None:
    """What the kernels showed to the strategy is what the plain simulation showed."""
    assert script.calls[0] == len(sights)
    for i, sight in enumerate(sights):
        numbers: list[Any] = [sight.time, sight.step, sight.replicas]
        assert np.allclose(script.numbers[i], numbers, rtol=0.0, atol=1e-9)
        lags, rates, owners, consumed = script.notes[i]
        # Both are rounded; an exact tie may go either way.
        assert np.allclose(lags, sight.lags, rtol=0.0, atol=1.1e-6)
        assert np.allclose(rates, sight.rates, rtol=0.0, atol=1.1e-6)
        assert owners.tolist() == sight.owners
        assert consumed.astype(bool).tolist() == sight.consumed
        n = len(sight.counts)
        assert np.allclose(script.events[i, :n], sight.counts, rtol=1e-12, atol=0.0)
        assert not script.events[i, n:].any()
