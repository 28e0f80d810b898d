"""What a figure on learning says in words agrees with all rows of the tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.learning.results.group_study import group_studies
from pipeline.experiments.learning.results.learning_study import studies
from pipeline.experiments.learning.sections.figures import FIGURES, GROUP_FIGURES
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import numbers
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.learning import learning_cases
from tests.pipeline.reporting.sections import drawn_charts

pytestmark = [pytest.mark.unit, pytest.mark.slow]

AGENTS, REWARDS = ("dqn", "double_dqn"), ("count", "violations")
SEEDS, EPISODES = 7, 403


@cache
def run() -> Results:
    """Two agents with two rewards and noisy scores, of which not every episode has one."""
    small = learning_cases.small()
    config = small.config
    setting = config["learning"][0]
    setting |= {"agents": list(AGENTS), "rewards": list(REWARDS), "seeds": SEEDS}
    setting["episodes"] = EPISODES
    rng = np.random.default_rng(4)
    first, score = small["trainings"].iloc[[0]], small["learning_scores"].iloc[[0]]
    cells = [(agent, reward) for reward in REWARDS for agent in AGENTS]
    trainings = [
        pd.concat([first] * EPISODES, ignore_index=True).assign(
            agent=agent,
            reward=reward,
            seed=seed,
            episode=np.arange(1, EPISODES + 1),
            score=np.where(np.arange(1, EPISODES + 1) % 3, np.nan, rng.uniform(-2, 1, EPISODES)),
        )
        for agent, reward in cells
        for seed in range(1, SEEDS + 1)
    ]
    scores = [score.assign(agent=agent, reward=reward) for agent, reward in cells]
    results = replace(small, run={**small.run, "config": json.dumps(config)})
    return results.with_tables(
        trainings=pd.concat(trainings, ignore_index=True),
        learning_scores=pd.concat(scores, ignore_index=True),
    )


WEIGHTS = (1.0, 10.0, 30.0)
RULES = ("constant", "linear", "ds2")
ACTIONS = ("target", "residual")


@cache
def grouped() -> Results:
    """Agents with two actions and rules, at three weights: random figures, in random order."""
    small = learning_cases.grouped()
    config = small.config
    variants = [f"action={action}:weight={w:g}" for w in WEIGHTS for action in ACTIONS]
    config["learning"][1] |= {"variants": variants, "rules": list(RULES)}
    rng = np.random.default_rng(8)
    first = small["group_scores"].iloc[[0]]
    places = [
        (weight, split, policy, parameters, chosen)
        for weight in WEIGHTS
        for split in ("time", "trace", "all")
        for policy, parameters, chosen in (
            *(("dqn", f"action={action}:weight={weight:g}", True) for action in ACTIONS),
            *((rule, "", True) for rule in RULES),
            *(("constant", f"initial_replicas={n}", False) for n in (2, 3)),
            ("clairvoyant", f"weight={weight:g}", True),
        )
    ]
    names = ("weight", "split", "policy", "parameters", "chosen")
    scores = pd.concat(
        [
            first.assign(
                **dict(zip(names, place, strict=True)),
                regret=rng.uniform(0.0, 2.0),
                replicas=_replicas(place[2], place[3], rng),
                late_percent=_late(place[2], place[3], rng),
            )
            for place in places
        ],
        ignore_index=True,
    )
    results = replace(small, run={**small.run, "config": json.dumps(config)})
    return results.with_tables(
        group_scores=scores.sample(frac=1.0, random_state=1), trainings=_judgements(small)
    )


def _judgements(small: Results) -> pd.DataFrame:
    """Random rewards of all variants and seeds, four times each."""
    rng = np.random.default_rng(9)
    trainings = small["trainings"]
    first = trainings[trainings["reward"] == "late"].iloc[[0]]
    places = [
        {"variant": f"action={action}:weight={weight:g}", "seed": seed, "episode": episode}
        for weight in WEIGHTS
        for action in ACTIONS
        for seed in range(1, SEEDS + 1)
        for episode in range(1, 5)
    ]
    rows = [first.assign(**one, greedy_reward=-rng.uniform(50.0, 900.0)) for one in places]
    return pd.concat([trainings[trainings["reward"] != "late"], *rows], ignore_index=True)


def _replicas(policy: str, parameters: str, rng: np.random.Generator) -> float:
    if policy == "constant":
        return float(parameters.partition("=")[2] or 1)
    return float(rng.uniform(1.0, 5.0))


def _late(policy: str, parameters: str, rng: np.random.Generator) -> float:
    if policy == "constant":
        return {"": 40.0, "initial_replicas=2": 5.0}.get(parameters, 0.0)
    return float(rng.uniform(0.01, 30.0))


@cache
def drawn() -> dict[str, Figure]:
    """All figures of the runs, by name."""
    (study,), (group,) = studies(run()), group_studies(grouped())
    every = [*drawn_charts.drawn(FIGURES, study), *drawn_charts.drawn(GROUP_FIGURES, group, 2)]
    return {one.name: one for one in every if isinstance(one, Figure)}


Facts = Iterator[str]


def curve_words() -> Facts:
    """Over all seeds, at the last episode that has scores."""
    rows = run()["trainings"]
    scored = rows[rows["score"].notna()]
    last = scored[scored["episode"] == scored["episode"].max()]
    parts = []
    for reward in REWARDS:
        for agent in AGENTS:
            here = last[(last["agent"] == agent) & (last["reward"] == reward)]["score"]
            assert len(here) == SEEDS
            parts.append(
                f"{agent}, reward {reward}: median {numbers.fixed(here.median(), 2)}, from "
                f"{numbers.fixed(here.min(), 2)} to {numbers.fixed(here.max(), 2)}"
            )
    yield f"Scores after episode {last['episode'].iloc[0]}. {'; '.join(parts)}."


def front_words() -> Facts:
    """Least and greatest values of each strategy over its weights, agents first."""
    rows = grouped()["group_scores"]
    overall = rows[rows["split"] == "all"]
    parts = []
    for name in (*(f"dqn:action={a}" for a in ACTIONS), *RULES[1:], "constant", "clairvoyant"):
        policy, _, action = name.partition(":")
        here = overall[(overall["policy"] == policy) & overall["parameters"].str.startswith(action)]
        assert len(here) == (9 if policy == "constant" else len(WEIGHTS))
        replicas, late = (
            f"{numbers.fixed(here[column].min(), 2)} to {numbers.fixed(here[column].max(), 2)}"
            for column in ("replicas", "late_percent")
        )
        parts.append(f"{name}: {replicas} replicas, {late}{numbers.SPACE}% late")
    yield f"From the least to the greatest value. {'; '.join(parts)}."


def judgement_words() -> Facts:
    """Over all seeds, at the first and the last judgement, of the variants of the middle weight."""
    rows = grouped()["trainings"]
    parts = []
    for action in ACTIONS:
        own = rows[rows["variant"] == f"action={action}:weight=10"]
        first, last = (own[own["episode"] == episode]["greedy_reward"] for episode in (1, 4))
        assert len(first) == len(last) == SEEDS
        parts.append(
            f"dqn:action={action}:weight=10: median {numbers.fixed(first.median(), 1)}, at the end "
            f"{numbers.fixed(last.median(), 1)}, from {numbers.fixed(last.min(), 1)} to "
            f"{numbers.fixed(last.max(), 1)}"
        )
    yield f"Rewards at the first judgement and at the end. {'; '.join(parts)}."


FACTS: dict[str, Callable[[], Facts]] = {
    "learning-curves-1": curve_words,
    "group-fronts-2": front_words,
    "group-curves-3": judgement_words,
}
"""What the description of a figure must say, from all rows of the tables."""


def test_every_figure_has_its_facts() -> None:
    assert len(FACTS) == len(FIGURES) + len(GROUP_FIGURES)
    assert set(drawn()) == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_what_a_figure_says_agrees_with_all_rows(name: str) -> None:
    facts = list(FACTS[name]())
    assert facts
    for fact in facts:
        assert fact in drawn()[name].alt


def test_a_front_is_drawn_with_a_mark_for_each_of_its_points() -> None:
    """Three weights, or numbers of replicas, of six strategies; one more mark each in the key."""
    wide = drawn()["group-fronts-2"].wide
    assert wide.count('class="mark ') == 6 * 3 + 6
    assert "constant:initial_replicas=3: 3.00 replicas" in wide
    assert "dqn:action=residual, weight 30: " in wide
    assert "NaN" not in wide


def test_one_weight_without_late_events_is_drawn() -> None:
    (study,) = group_studies(learning_cases.grouped())
    fronts, curves = drawn_charts.drawn(GROUP_FIGURES, study)
    assert isinstance(fronts, Figure)
    assert isinstance(curves, Figure)
    assert "linear: 2.50 replicas, 0.00" in fronts.alt
