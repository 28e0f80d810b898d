"""A group with constant replicas, simulated event by event: consumers take turns."""

from __future__ import annotations

from collections import deque
from fractions import Fraction

from algorithms.assignment import assignors


def mean_latency(
    counts: list[list[int]], step_s: Fraction, mu: Fraction, replicas: int, assignor: str
) -> Fraction:
    """Mean time from the arrival of an event, at the start of its step, until it is processed."""
    p = len(counts[0])
    owners = assignors.assign(assignor, p, range(replicas), [-1] * p).tolist()
    total, events = Fraction(0), 0
    for member in range(replicas):
        held = [q for q in range(p) if owners[q] == member]
        latencies = processed([[row[q] for q in held] for row in counts], step_s, 1 / mu)
        total += sum(latencies, Fraction(0))
        events += len(latencies)
    return total / events


def processed(counts: list[list[int]], step_s: Fraction, service: Fraction) -> list[Fraction]:
    """Latencies of the events of one consumer, which serves its partitions in turn."""
    arrivals = deque(
        (k * step_s, q, n) for k, row in enumerate(counts) for q, n in enumerate(row) if n
    )
    queues = [deque[Fraction]() for _ in (counts[0] if counts else [])]
    now, turn, latencies = Fraction(0), 0, []
    while arrivals or any(queues):
        while arrivals and arrivals[0][0] <= now:
            at, q, n = arrivals.popleft()
            queues[q].extend([at] * n)
        if not any(queues):
            now = arrivals[0][0]
            continue
        while not queues[turn]:
            turn = (turn + 1) % len(queues)
        now += service
        latencies.append(now - queues[turn].popleft())
        turn = (turn + 1) % len(queues)
    return latencies
