"""What experiments set in which brokers are added and removed by decisions."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.setting import setting
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.learning_names import AGENTS

OPTIMAL, THRESHOLD = "optimal", "threshold"
"""Knows the measured rows exactly; adds a broker above the objective, removes one below 0.8."""

DECIDERS = (*AGENTS, OPTIMAL, THRESHOLD)


@dataclass(frozen=True, kw_only=True)
class DecidingChoices:
    """Episodes of decisions on a cluster."""

    live_episodes: int = setting(
        10,
        "Episodes of each decider and reward on the cluster, which is a new one in each.",
        "episodes",
        at_least=1,
        at_most=100,
    )
    live_steps: int = setting(
        45, "Decisions of an episode on the cluster (P).", "decisions", at_least=2, at_most=1000
    )
    decision_s: float = setting(
        40.0,
        "Time between two decisions (P); longer if a broker takes longer to join or leave.",
        "s",
        at_least=5,
        at_most=600,
    )
    learns: bool = setting(
        False,
        "Whether agents learn on the cluster, from nothing. Otherwise they learn on measured rows, "
        f"in {AgentSettings.episodes} episodes, and then only act.",
    )
    input_margin: float = setting(
        0.5,
        "By how much an input may leave its range in the measured rows, as a share of that range, "
        "before an agent that only acts refuses it and keeps the brokers.",
        "ratio",
        at_least=0,
        at_most=10,
    )
