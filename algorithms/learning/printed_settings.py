"""Settings that the paper prints, and what a training has instead of them."""

from __future__ import annotations

from typing import Final

from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import MEASURED

OF_BROKERS: Final = (
    "min_brokers",
    "max_brokers",
    "steps",
    "slo_violations_ms",
    "slo_weighted_ms",
    "weight_of_brokers",
    "record_bytes",
    "records_per_s",
)
"""Settings of the cluster with a printed value, which is the default."""

OF_AGENT: Final = (
    "episodes",
    "hidden",
    "replay",
    "batch",
    "target_every",
    "gamma",
    "learning_rate",
    "optimizer",
    "epsilon_first",
    "epsilon_last",
    "random_first",
    "random_episodes",
)
"""Settings of the agent with a printed value, which is the default."""


def departures(brokers: BrokerSettings, agent: AgentSettings) -> tuple[str, ...]:
    """Settings that differ from the printed ones, as words for readers.

    >>> departures(BrokerSettings(steps=12), AgentSettings(episodes=100))
    ('steps 12 (printed 45)', 'episodes 100 (printed 10)')
    """
    printed_brokers, printed_agent = BrokerSettings(), AgentSettings()
    pairs = [(n, getattr(brokers, n), getattr(printed_brokers, n)) for n in OF_BROKERS]
    pairs += [(n, getattr(agent, n), getattr(printed_agent, n)) for n in OF_AGENT]
    words = [f"{n} {value} (printed {printed})" for n, value, printed in pairs if value != printed]
    if brokers.curve == MEASURED:
        words.append("latency as measured on Kafka brokers")
    if 2 * brokers.scrapes_changing != brokers.scrapes:
        # The interval between scrapes is not printed, but a change takes 20 of its 40 s.
        words.append(
            f"scrapes_changing {brokers.scrapes_changing} of {brokers.scrapes} (printed half)"
        )
    return tuple(words)
