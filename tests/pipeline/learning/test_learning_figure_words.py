"""What a figure on learning says in words agrees with all rows of the tables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pytest

from pipeline.learning.learning_study import studies
from pipeline.learning.report.figures import FIGURES, draw_all
from pipeline.report import numbers
from pipeline.report.drawing.figure import Figure
from pipeline.runs.run_results import Results
from tests.pipeline.learning import learning_cases

pytestmark = pytest.mark.unit

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


@cache
def drawn() -> dict[str, Figure]:
    """All figures of the run, by name."""
    (study,) = studies(run())
    return {one.name: one for one in draw_all(study, 1) if isinstance(one, Figure)}


Facts = Iterator[str]


def curve_words() -> Facts:
    """Over all seeds, at the last episode that has scores."""
    rows = run()["trainings"]
    known = rows[rows["score"].notna()]
    last = known[known["episode"] == known["episode"].max()]
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


FACTS: dict[str, Callable[[], Facts]] = {"learning-curves-1": curve_words}
"""What the description of a figure must say, from all rows of the tables."""


def test_every_figure_has_its_facts() -> None:
    assert len(FACTS) == len(FIGURES)
    assert set(drawn()) == set(FACTS)


@pytest.mark.parametrize("name", FACTS)
def test_what_a_figure_says_agrees_with_all_rows(name: str) -> None:
    facts = list(FACTS[name]())
    assert facts
    for fact in facts:
        assert fact in drawn()[name].alt
