"""The invariants of the contract, and progress, in more than 10,000 random histories.

A history breaks off with `Broken` at the first moment at which an invariant does not hold, and if
it does not come to rest after its last fault. Its seed repeats it.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from live.protocol import group_knowledge
from tests.live.protocol.protocol_world import FAULTY_STEPS, ProtocolWorld, Scenario

KINDS = (
    "crash_consumer",
    "pause_consumer",
    "leave_consumer",
    "ignore_commands",
    "crash_controller",
    "pause_controller",
    "fail_controller",
    "second_controller",
    "repeat_commands",
    "repeat_events",
    "outage",
)


def run(scenarios: Iterable[Scenario]) -> list[ProtocolWorld]:
    worlds = []
    for scenario in scenarios:
        world = ProtocolWorld(scenario)
        try:
            world.run()
        except Exception as error:
            error.add_note(repr(scenario))
            raise
        worlds.append(world)
    return worlds


def seeds(first: int, number: int) -> Iterable[tuple[int, random.Random]]:
    return ((seed, random.Random(seed)) for seed in range(first, first + number))


def blocks(number: int) -> list[Any]:
    """Numbers of blocks of seeds: `make test` runs the first block, `make long-test` the others."""
    others = [pytest.param(block, marks=pytest.mark.long) for block in range(1, number)]
    return [pytest.param(0, marks=pytest.mark.slow), *others]


def cut(worlds: list[ProtocolWorld]) -> int:
    """Tenures that ended by fencing."""
    return sum(history.cut for world in worlds for history in world.oracle.partitions)


@pytest.mark.parametrize("block", blocks(4))
def test_without_faults(block: int) -> None:
    worlds = run(
        Scenario(seed, partitions=r.randint(1, 4), consumers=r.randint(1, 4), plans=r.randint(1, 3))
        for seed, r in seeds(10_000 * block, 600)
    )
    assert cut(worlds) == 0


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_with_faults_of_one_kind(kind: str) -> None:
    run(
        Scenario(seed, faults=r.randint(1, 3), kinds=(kind,), plans=2, kills=r.random() < 0.5)
        for seed, r in seeds(100_000, 250)
    )


@pytest.mark.slow
def test_consumers_that_wake_up_after_they_were_lost() -> None:
    worlds = run(
        Scenario(seed, faults=3, kinds=("pause_consumer",), plans=2, kills=False)
        for seed, _ in seeds(500_000, 300)
    )
    assert sum(world.refused for world in worlds) > 100


@pytest.mark.parametrize("block", blocks(6))
def test_with_faults_of_all_kinds(block: int) -> None:
    worlds = run(
        Scenario(
            seed,
            partitions=r.randint(2, 3),
            consumers=r.randint(2, 3),
            faults=r.randint(2, 5),
            kinds=KINDS,
            plans=2,
            kills=r.random() < 0.5,
            is_encoded=r.random() < 0.05,
        )
        for seed, r in seeds(200_000 + 10_000 * block, 700)
    )
    # The histories are what they are meant to be.
    assert cut(worlds) > 300
    assert sum(world.refused for world in worlds) > 20


@pytest.mark.slow
@pytest.mark.parametrize("kills", [True, False])
@pytest.mark.parametrize(
    "kind", ["crash_controller", "crash_consumer", "pause_consumer", "ignore_commands"]
)
def test_a_fault_at_each_step(kind: str, kills: bool) -> None:
    run(
        Scenario(seed, at=(step,), kinds=(kind,), plans=2, kills=kills)
        for step in range(FAULTY_STEPS)
        for seed in (1,)
    )


@pytest.mark.slow
def test_old_messages_after_partitions_have_returned() -> None:
    run(
        Scenario(
            seed,
            partitions=2,
            consumers=2,
            plans=6,
            faults=8,
            kinds=("repeat_events", "repeat_commands", "crash_controller"),
            lease_s=20.0,
        )
        for seed, _ in seeds(300_000, 300)
    )


@pytest.mark.unit
def test_successors_need_no_plan_but_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_knowledge, "KEPT_PLANS", 1)
    worlds = run(
        Scenario(seed, faults=4, kinds=KINDS, plans=6, kills=seed % 2 > 0)
        for seed in range(600_000, 600_060)
    )
    groups = [world.controllers[0].group for world in worlds]
    assert {len(group.plans) for group in groups if group is not None} == {1}


@pytest.mark.slow
@pytest.mark.unit
def test_a_controller_that_recovers_yields_to_one_that_has_taken_over() -> None:
    worlds = run(
        Scenario(seed, faults=4, kinds=("fail_controller",), plans=4)
        for seed in range(700_000, 700_080)
    )
    assert sum(world.yielded for world in worlds) > 20
    # In other histories, no second controller took over before the first one recovered.
    assert sum(len(world.oracle.controllers) == 1 for world in worlds) > 0


@pytest.mark.unit
def test_nobody_is_lost_in_an_outage() -> None:
    worlds = run(
        Scenario(seed, faults=3, kinds=("outage",), plans=2, lease_s=10.0)
        for seed, _ in seeds(400_000, 60)
    )
    assert cut(worlds) == 0
    assert all(world.refused == 0 for world in worlds)
