"""Answers of autoscaling strategies on a broker mean what they mean in the simulated group."""

from __future__ import annotations

import random

import numpy as np
import pytest

from algorithms.assignment import Decision, assignors
from algorithms.simulation import answers, group_state
from algorithms.simulation.group_rules import rules_of
from algorithms.simulation.group_settings import check_settings
from live.controller.answered_owners import Answer, answer_of, owners_after

P, MOST = 7, 6


def place(members, owners):
    return assignors.assign("sticky", P, members, owners)


def in_the_simulation(answer: Answer, owners: list[int]) -> list[int]:
    rules = rules_of(check_settings({"max_replicas": MOST}, P, 1.0, None), 10)
    state = group_state.create(rules, P, 1)
    ids = sorted(set(owners))
    state.members.places[:] = -1
    for place_, id_ in enumerate(ids):
        state.members.ids[place_] = id_
        state.members.places[id_] = place_
    state.counters[group_state.MEMBERS] = len(ids)
    state.partitions.owners[:] = owners
    kind = group_state.COUNT
    for values, code in ((answer.ranks, group_state.RANKS), (answer.ids, group_state.IDS)):
        if values is not None:
            state.plan.waiting[:] = values
            kind = code
    if not answers.resolve(answer.replicas, kind, rules, state):
        return owners
    if state.counters[group_state.TARGET_KIND] != group_state.COUNT:
        return state.plan.target.tolist()
    members = state.plan.after[: answer.replicas]
    return assignors.assign("sticky", P, members, owners).tolist()


def test_owners_are_those_of_the_simulated_group():
    draw = random.Random(1)
    for _ in range(400):
        owners = draw.choices(draw.sample(range(9), draw.randint(1, 5)), k=P)
        replicas = draw.randint(1, MOST)
        kind = draw.choice(("count", "ranks", "ids"))
        answer = Answer(
            replicas,
            # Now and then out of bounds, or more than there are members.
            ranks=tuple(draw.choices(range(replicas + (draw.random() < 0.1)), k=P))
            if kind == "ranks"
            else None,
            ids=tuple(draw.choices(draw.sample(range(12), draw.randint(1, 7)), k=P))
            if kind == "ids"
            else None,
        )
        assert list(owners_after(answer, owners, place)) == in_the_simulation(answer, owners)


def test_the_same_number_of_consumers_moves_nothing_unless_a_partition_has_none():
    def never(members, owners):
        raise AssertionError

    assert owners_after(Answer(2), [4, 9, 4], never) == (4, 9, 4)
    new_owners = owners_after(Answer(2), [4, -1, 4, 9, 9, 4, 9], place)
    assert set(new_owners) == {4, 9}


@pytest.mark.parametrize(
    ("decision", "answer"),
    [
        (Decision(), None),
        (Decision(replicas=3), Answer(3)),
        (Decision(replicas=9, ranks=np.zeros(2, np.int32)), Answer(5)),
        (Decision(replicas=0), Answer(1)),
        (Decision(replicas=2, ranks=np.array([1, 0])), Answer(2, ranks=(1, 0))),
        (Decision(replicas=2, owners=np.array([7, 0])), Answer(2, ids=(7, 0))),
    ],
)
def test_decisions_stay_within_the_bounds_of_the_group(decision, answer):
    assert answer_of(decision, 1, 5) == answer
