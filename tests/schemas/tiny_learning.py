"""The part of the tiny run that learns: one agent with one reward, two seeds, two episodes."""

from __future__ import annotations

from typing import Any

from tests.schemas.plain_rows import filled

Row = dict[str, Any]

EXPERIMENT = {
    "name": "learned",
    "agents": ["dqn"],
    "rewards": ["count"],
    "variants": ["base"],
    "seeds": 2,
    "episodes": 2,
}
SCORES = {1: (0.25, 1.0), 2: (0.0, 0.5)}
"""Scores by seed, after each episode."""

RULES = {"optimal": 1.0, "random": 0.0}

PUBLISHED = {
    "figure_key": "learned: R1: dqn, count",
    "source": "A paper on learning",
    "location": "Figs 2, 3",
    "its_workload": "",
    "its_strategy": "dqn, count",
    "candidate": "learned",
    "figure": "share of seeds that succeed",
    "unit": "",
    "published": "Reward 1 leads to 3 brokers.",
    "published_value": None,
    "ours": "0.5 in 2 seeds",
    "our_value": 0.5,
    "low": 0.0126,
    "high": 0.9874,
    "interval_text": "0.01 to 0.99",
    "difference": None,
    "verdict": "open",
    "note": "",
}

_CELL = {"agent": "dqn", "reward": "count", "variant": "base"}


def rows(run_id: str) -> dict[str, list[Row]]:
    """Rows of this experiment by table."""
    placed = {"run_id": run_id, "experiment": "learned"}
    by_table = {
        "trainings": [placed | _training(seed, k) for seed in SCORES for k in (1, 2)],
        "policies": [placed | _policy(seed) for seed in SCORES],
        "evaluations": [
            *(placed | _evaluation("dqn", seed, scores[-1]) for seed, scores in SCORES.items()),
            *(placed | _evaluation(name, 0, score) for name, score in RULES.items()),
        ],
        "learning_scores": [placed | _score()],
        "learning_verdicts": [placed | _verdict()],
        "published_figures": [{"run_id": run_id, **PUBLISHED}],
    }
    return filled(by_table)


def _reward(score: float) -> float:
    return -200.0 + 60.0 * score


def _reached(score: float) -> Row:
    return {"score": score, "brokers": 11.0 - 8.0 * score, "over_slo_percent": 25.0, "moves": 4.0}


def _training(seed: int, episode: int) -> Row:
    score = SCORES[seed][episode - 1]
    return (
        _CELL
        | {"seed": seed, "episode": episode, "total_reward": -250.0}
        | {"loss": None if episode == 1 else 0.5, "epsilon": 1.0 / episode}
        | {"decisions": 45 * episode, "seconds": 0.25, "greedy_reward": _reward(score)}
        | _reached(score)
    )


def _policy(seed: int) -> Row:
    return _CELL | {
        "seed": seed,
        "environment": "brokers",
        "format_version": 2,
        "layers": [37, 3],
        "settings": "{}",
        "weights": "AAAAAA==",
        "digest": "df3f6198",
    }


def _evaluation(policy: str, seed: int, score: float) -> Row:
    place = {"policy": policy, "reward": "count", "variant": "base", "seed": seed}
    own = {"held_out": 4, "total_reward": _reward(score), "idle_weight": 0.9 if seed else None}
    return place | own | _reached(score)


def _score() -> Row:
    shares = {"seeds": 2, "successes": 1, "share": 0.5, "share_low": 0.0126, "share_high": 0.9874}
    scores = {"score": 0.75, "score_low": 0.5, "score_high": 1.0, "worst": 0.5, "best": 1.0}
    means = {"brokers": 5.0, "over_slo_percent": 25.0, "moves": 4.0}
    return _CELL | shares | scores | means


def _verdict() -> Row:
    return {
        "claim": "R1",
        "location": "Figs 2, 3",
        "subject": "dqn, count",
        "statement": "Reward 1 leads to 3 brokers.",
        "measure": "share of seeds that succeed",
        "seeds": 2,
        "value": 0.5,
        "low": 0.0126,
        "high": 0.9874,
        "verdict": "open",
    }
