"""A replay of each record at members that process what they fetched before they fetch more."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from live.asking import group_incidents
from pipeline.experiments.live.evidence.processed_records import NONE
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions import event_recoveries, queue_prediction
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.slow

BEGAN_NS, BYTES = 3 * 10**9, 100
RATE, SERVICE_S = 10, 0.02
"""Records that arrive in a partition each second, and time for one of them, s."""


def folder(
    *entries: dict[str, Any], partitions: int = 2, events: tuple[str, ...] = ()
) -> RunFolder:
    """A group that asks, and 20 s of records that are all sent."""
    settings = short_settings(
        partitions=partitions,
        record_bytes=BYTES,
        consumer_rate=BYTES / SERVICE_S,
        capacity=BYTES / SERVICE_S,
        iteration_s=1.0,
        iterations=20,
        began_ns=BEGAN_NS,
        group_events=events,
        revoke_s=0.05,
        arrivals="even",
    )
    sent = {"sent_by_partition": [20 * RATE] * partitions}
    asked = said(-1.0, "asked", 0, [])
    rates = np.full((20, partitions), float(RATE * BYTES))
    return RunFolder(settings, rates, sent, [asked, *entries], {}, NONE)


def said(at_s: float, kind: str, consumer: int, partitions: list[int]) -> dict[str, Any]:
    own = {"consumer": consumer, "incarnation": 1, "partitions": partitions}
    return {"what": "member", "kind": kind, "noted_ns": BEGAN_NS + round(at_s * 1e9), **own}


def test_what_waited_in_one_partition_is_processed_before_the_next_one() -> None:
    """After 3 s, 30 records wait in each of two partitions, and take 0.6 s."""
    tenure = said(-1.0, "assigned", 0, [0, 1]), said(21.0, "revoked", 0, [0, 1])
    run = folder(*tenure, events=("outage@5s:3s",))
    (recovery,) = event_recoveries.replayed(run, group_incidents.of_run(run.settings))
    # The oldest record of the second partition waits for those 30, and is processed itself.
    assert recovery.greatest_age_s == pytest.approx(3.0 + 30 * SERVICE_S, abs=0.1 + SERVICE_S)
    assert recovery.lag_gone_after_s > 3.0


def plain(
    due: list[list[float]], tenures: list[tuple[float, float, int, list[int]]]
) -> list[list[float]]:
    """When each record is taken up: each tenure by itself, record after record."""
    taken: list[list[float]] = [[] for _ in due]
    free: dict[int, float] = {}
    for start, end, member, own in sorted(tenures):
        now = max(start, free.get(member, start))
        bag: list[int] = []
        ahead = {p: len(taken[p]) for p in own}
        while True:
            if not bag:
                soonest = [due[p][ahead[p]] for p in own if ahead[p] < len(due[p])]
                if not soonest:
                    break
                now = max(now, min(soonest))
                if now >= end:
                    break
                for p in own:
                    while ahead[p] < len(due[p]) and due[p][ahead[p]] <= now:
                        bag.append(p)
                        ahead[p] += 1
            if now >= end:
                break
            taken[bag.pop(0)].append(now)
            now += SERVICE_S
        free[member] = now
    return taken


@pytest.mark.parametrize("seed", range(20))
def test_it_is_what_a_plain_replay_does(seed: int) -> None:
    """Three members and four partitions, in eager rebalances at drawn times."""
    draw, members = random.Random(seed), 3
    entries: list[dict[str, Any]] = []
    tenures: list[tuple[float, float, int, list[int]]] = []
    at = -1.0
    while at < 20.0:
        end = at + draw.uniform(0.2, 4.0)
        numbers = list(range(4))
        present = draw.sample(range(members), draw.randint(1, members))
        for place, member in enumerate(sorted(present)):
            own = numbers[place :: len(present)]
            entries += [said(at, "assigned", member, own), said(end, "revoked", member, own)]
            tenures.append((round(at, 9), round(end, 9) - 0.05, member, own))
        at = end + draw.uniform(0.0, 0.6)
    run = folder(*entries, partitions=4)
    due_ns, partitions = queue_prediction.sent_records(run)
    due = [(due_ns[partitions == p] / 1e9).tolist() for p in range(4)]
    waits = queue_prediction.replay(run)[1]
    for p, taken in enumerate(plain(due, tenures)):
        found = waits[partitions == p] + due[p]
        assert found[: len(taken)] == pytest.approx(taken, abs=1e-6)
        assert np.isinf(found[len(taken) :]).all()
