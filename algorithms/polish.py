"""Migrated partitions are sent home again where there is a way to make room for them."""

from __future__ import annotations

from algorithms import buckets, packing
from algorithms.arrays import Floats, Ints, Longs
from algorithms.buckets import COUNT, FIRST, NEXT, OWNER
from algorithms.compiled import kernel
from algorithms.packing import NOWHERE
from algorithms.repair import risk
from algorithms.repair.place import fare
from algorithms.repair.risk import CAPACITY, SPREAD

PASSES = 4
MEMBERS = 24
_PAIRED = 6
_LEAST = 1e-9

# What is done to make room at home.
_NOTHING, _RETURN, _EXCHANGE, _PUSH, _PUSH_TWO = 0, 1, 2, 3, 4


@kernel
def run(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    order: Longs,
    passes: int,
) -> None:
    """Send partitions home, largest first, in so many passes at most."""
    for _ in range(passes):
        done = False
        for j in order:
            if speeds[j] <= 0.0:
                break
            if packing.migrated(speeds, home, links, j) and links[COUNT, home[j]] > 0:
                done |= _send_home(speeds, home, links, loads, bits, marks, terms, j)
        if not done:
            break


@kernel
def _send_home(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    j: int,
) -> bool:
    """Do what saves most for one migrated partition; whether anything did."""
    h, b, speed, capacity = home[j], links[OWNER, j], speeds[j], terms[CAPACITY]
    least = _LEAST * capacity
    left = risk.of(speeds, links, loads, terms, b, -1, -1)
    at_home = risk.of(speeds, links, loads, terms, h, -1, -1)
    if loads[h] + speed <= capacity:
        worse = (
            risk.of(speeds, links, loads, terms, b, j, -1)
            + risk.of(speeds, links, loads, terms, h, -1, j)
            - left
            - at_home
        )
        if speed - worse > least:
            packing.move(speeds, links, loads, bits, marks, capacity, j, h)
            return True
        return False
    kind, x, d, saved = _NOTHING, NOWHERE, NOWHERE, least
    i, looked = links[FIRST, h], 0
    while i != NOWHERE and looked < MEMBERS:
        looked += 1
        small = speeds[i]
        paid = fare(speeds, home, i, h)
        fits = loads[h] - small + speed <= capacity or links[COUNT, h] == 1
        if fits and speed + paid - (small if home[i] == h else 0.0) > saved:
            inside = risk.of(speeds, links, loads, terms, h, i, j) - at_home
            if loads[b] - speed + small <= capacity or links[COUNT, b] == 1:
                gain = speed + paid - fare(speeds, home, i, b) - inside
                gain -= risk.of(speeds, links, loads, terms, b, j, i) - left
                if gain > saved:
                    kind, x, d, saved = _EXCHANGE, i, b, gain
            emptied = risk.of(speeds, links, loads, terms, b, j, -1) - left
            to, cost = _push_to(speeds, home, links, loads, bits, terms, i, h, b)
            gain = speed + paid - inside - emptied - cost
            if to != NOWHERE and gain > saved:
                kind, x, d, saved = _PUSH, i, to, gain
        i = links[NEXT, i]
    if kind == _NOTHING:
        return _push_two(speeds, home, links, loads, bits, marks, terms, j)
    packing.detach(speeds, links, loads, bits, marks, capacity, j)
    packing.move(speeds, links, loads, bits, marks, capacity, x, d)
    packing.attach(speeds, links, loads, bits, marks, capacity, j, h)
    return True


@kernel
def _push_to(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    terms: Floats,
    i: int,
    h: int,
    b: int,
) -> tuple[int, float]:
    """Where a partition that is pushed out goes, but for two consumers, and the cost."""
    best, cost = NOWHERE, 0.0
    own = home[i]
    if (
        own != NOWHERE
        and own != h
        and own != b
        and packing.holds(links, loads, terms[CAPACITY], own, 0.0, speeds[i])
    ):
        return int(own), risk.rise(speeds, links, loads, terms, own, i)
    for step in range(2):
        reserve = (1 - step) * terms[SPREAD]
        d = buckets.best_fit(links, loads, bits, terms[CAPACITY], speeds[i], reserve, h, b)
        if d != NOWHERE:
            best = d
            cost = fare(speeds, home, i, d) + risk.rise(speeds, links, loads, terms, d, i)
            break
    return int(best), cost


@kernel
def _push_two(
    speeds: Floats,
    home: Ints,
    links: Ints,
    loads: Floats,
    bits: Longs,
    marks: Longs,
    terms: Floats,
    j: int,
) -> bool:
    """Push two small partitions out of the home of a larger one."""
    h, b, speed, capacity = home[j], links[OWNER, j], speeds[j], terms[CAPACITY]
    if links[COUNT, h] < 2:
        return False
    x, y = _lightest_pair(speeds, home, links, h, loads[h] + speed - capacity, speed)
    if x == NOWHERE:
        return False
    before = (
        risk.of(speeds, links, loads, terms, b, -1, -1)
        + risk.of(speeds, links, loads, terms, h, -1, -1)
        + speed
        + fare(speeds, home, x, h)
        + fare(speeds, home, y, h)
    )
    packing.detach(speeds, links, loads, bits, marks, capacity, j)
    packing.detach(speeds, links, loads, bits, marks, capacity, x)
    packing.detach(speeds, links, loads, bits, marks, capacity, y)
    packing.attach(speeds, links, loads, bits, marks, capacity, j, h)
    after = risk.of(speeds, links, loads, terms, h, -1, -1) if loads[h] <= capacity else before
    after += risk.of(speeds, links, loads, terms, b, -1, -1)
    first, cost = _push_to(speeds, home, links, loads, bits, terms, x, h, NOWHERE)
    after += cost
    if first != NOWHERE and after < before:
        packing.attach(speeds, links, loads, bits, marks, capacity, x, first)
        second, cost = _push_to(speeds, home, links, loads, bits, terms, y, h, NOWHERE)
        after += cost
        if second != NOWHERE and before - after > _LEAST * capacity:
            packing.attach(speeds, links, loads, bits, marks, capacity, y, second)
            return True
        packing.detach(speeds, links, loads, bits, marks, capacity, x)
    packing.detach(speeds, links, loads, bits, marks, capacity, j)
    packing.attach(speeds, links, loads, bits, marks, capacity, j, b)
    packing.attach(speeds, links, loads, bits, marks, capacity, x, h)
    packing.attach(speeds, links, loads, bits, marks, capacity, y, h)
    return False


@kernel
def _lightest_pair(
    speeds: Floats, home: Ints, links: Ints, h: int, wanted: float, speed: float
) -> tuple[int, int]:
    """Two members whose speeds make enough room and together are the least, below a speed."""
    x, y, least = NOWHERE, NOWHERE, speed
    i, looked = links[FIRST, h], 0
    while i != NOWHERE and looked < _PAIRED:
        looked += 1
        k = links[NEXT, i]
        looked_too = looked
        while k != NOWHERE and looked_too < _PAIRED:
            looked_too += 1
            together = speeds[i] + speeds[k]
            if wanted <= together < least:
                x, y, least = i, k, together
            k = links[NEXT, k]
        i = links[NEXT, i]
    return int(x), int(y)
