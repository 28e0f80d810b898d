"""The replay of fetches by the book, with lists."""

from __future__ import annotations

import math

import numpy as np

from algorithms.simulation.queue_replay import Fetching, Ownership


class Member:
    """A consumer: its partitions in the order in which it took them over, and its buffer."""

    def __init__(self) -> None:
        self.free = -math.inf
        self.partitions: list[int] = []
        self.buffer: list[tuple[int, float]] = []


def waiting_times(
    due_s: np.ndarray,
    partitions: np.ndarray,
    owned: Ownership,
    service_s: float,
    fetching: Fetching,
) -> np.ndarray:
    """As `algorithms.simulation.queue_replay.waiting_times`, event by event."""
    waits = np.full(len(due_s), math.inf)
    left: dict[int, list[tuple[float, int]]] = {}
    for i, (due, p) in enumerate(zip(due_s.tolist(), partitions.tolist(), strict=True)):
        left.setdefault(p, []).append((due, i))
    rows = zip(*(column.tolist() for column in owned), strict=True)
    tenures = [row for row in rows if row[2] < row[3]]
    changes = sorted(
        (when, is_taken, place)
        for place, row in enumerate(tenures)
        for is_taken, when in ((True, row[2]), (False, row[3]))
        if when < math.inf
    )
    members = {row[1]: Member() for row in tenures}
    taken: dict[int, float] = {}

    def serve(member: Member, until: float) -> None:
        while True:
            held = [p for p, _ in member.buffer]
            waiting = {p: left.get(p, [])[held.count(p) :] for p in member.partitions}
            ahead = [max(queue[0][0], taken[p]) for p, queue in waiting.items() if queue]
            now = member.free if held else max(member.free, min(ahead, default=math.inf))
            if now >= until:
                return
            if len(held) <= fetching.buffer_s / service_s:
                answer: list[tuple[int, float]] = []
                for p, queue in waiting.items():
                    arrived = [due for due, _ in queue if max(due, taken[p]) <= now]
                    answer += [(p, due) for due in arrived[: fetching.share]]
                member.buffer += answer[: fetching.answer]
            p, due = member.buffer.pop(0)
            first, i = left[p].pop(0)
            assert first == due
            waits[i] = now - due
            member.free = now + service_s

    for when, is_taken, place in changes:
        p, c, _, _ = tenures[place]
        member = members[c]
        serve(member, when)
        if is_taken:
            taken[p] = when
            member.partitions.append(p)
        else:
            member.partitions.remove(p)
            member.buffer = [entry for entry in member.buffer if entry[0] != p]
    for member in members.values():
        serve(member, math.inf)
    return waits
