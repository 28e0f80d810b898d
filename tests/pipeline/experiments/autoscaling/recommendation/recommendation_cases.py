"""Questions of tests, and the workload that they are about."""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.autoscaling.candidates import Candidate, candidate
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective

GOAL = Objective(95.0, 5.0)
CANDIDATES = (
    Candidate("constant"),
    *(candidate("keda_hpa", threshold=n) for n in (10, 100, 500)),
    *(candidate("headroom", h=h) for h in (1.0, 1.5)),
)


def waves(partitions: int = 4, steps: int = 600) -> np.ndarray:
    """Load that rises and falls twice, between one and three consumers' worth."""
    total = 300.0 - 200.0 * np.cos(np.arange(steps) * 4.0 * np.pi / steps)
    shares = np.linspace(1.0, 2.0, partitions)
    rates: np.ndarray = total[:, None] * shares / shares.sum()
    return rates


def asked(goal: Objective = GOAL, **others: Any) -> Question:
    return Question(goal, **{"mu": 200.0, "candidates": CANDIDATES, **others})
