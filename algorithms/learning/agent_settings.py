"""Settings of DQN and Double DQN: the paper's, and what it leaves open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from algorithms.core.setting import setting
from algorithms.core.setting_checks import checked
from algorithms.learning.learning_names import OPTIMIZERS, SCALINGS

_MOST = 1_000_000


@dataclass(frozen=True, kw_only=True)
class AgentSettings:
    """An agent; (P) is printed in the paper, (A) an assumption."""

    episodes: int = setting(10, "Episodes of training (P).", "episodes", at_least=1, at_most=_MOST)
    hidden: tuple[int, ...] = setting(
        (64, 128, 256),
        "Sizes of the fully connected layers (P), with ReLU between them (A).",
        at_least=1,
        at_most=10_000,
    )
    replay: int = setting(42, "Transitions kept (P).", "transitions", at_least=1, at_most=_MOST)
    batch: int = setting(
        10,
        "Transitions of an update (P).",
        "transitions",
        at_least=1,
        at_most=(_MOST, "replay"),
    )
    target_every: int = setting(
        5,
        "Updates after which the target network is copied (P).",
        "updates",
        at_least=1,
        at_most=_MOST,
    )
    gamma: float = setting(0.99, "Discount (P).", "ratio", at_least=0, at_most=1)
    # Weights can overflow with greater rates, and a policy with such weights cannot be judged.
    learning_rate: float = setting(2.5e-4, "Learning rate (P).", "ratio", above=0, at_most=1)
    optimizer: str = setting(
        "rmsprop",
        "RMSprop without momentum (P, which also names Adam once), or Adam.",
        one_of=OPTIMIZERS,
    )
    decay: float = setting(
        0.9, "Decay of the mean square, as in Keras (A).", "ratio", at_least=0, at_most=1
    )
    stabilizer: float = setting(
        1e-7, "What is added to the mean square under the root, as in Keras (A).", above=0
    )
    epsilon_first: float = setting(
        1.0, "Share of random actions at the beginning (P).", "ratio", at_least=0, at_most=1
    )
    epsilon_last: float = setting(
        0.1, "Share of random actions at the end (P).", "ratio", at_least=0, at_most=1
    )
    epsilon_share: float = setting(
        0.5,
        "Share of all decisions over which that of random actions falls, linearly (A).",
        "ratio",
        at_least=0,
        at_most=1,
    )
    random_first: int = setting(
        10,
        "First decisions of an episode that are random (P).",
        "decisions",
        at_least=0,
        at_most=_MOST,
    )
    random_episodes: int = setting(
        2, "First episodes that begin with them (P).", "episodes", at_least=0, at_most=_MOST
    )
    scaling: str = setting(
        "ranges",
        "Ranges divides metrics by declared ranges before the normalization of the input (A); raw "
        "does not.",
        one_of=SCALINGS,
    )
    time_limit_ends: bool = setting(
        False, "Whether the last state of an episode has the value 0 (A: it has not)."
    )
    held_out: int = setting(
        256,
        "Episodes on which the greedy policy is judged.",
        "episodes",
        at_least=1,
        at_most=_MOST,
    )
    evaluate_every: int = setting(
        1,
        "Episodes of training between judgements; the last one is always judged.",
        "episodes",
        at_least=1,
        at_most=_MOST,
    )


BUDGETS: Final[dict[str, dict[str, Any]]] = {
    "paper": {},
    "long": {"episodes": 100, "evaluate_every": 10},
    "stable": {
        "episodes": 100,
        "evaluate_every": 10,
        "replay": 10_000,
        "batch": 32,
        "target_every": 100,
    },
    "ordinary": {
        "episodes": 100,
        "evaluate_every": 10,
        "optimizer": "adam",
        "learning_rate": 1e-3,
        "replay": 450,
        "batch": 32,
        "target_every": 20,
        "gamma": 0.9,
    },
}
"""What differs from the defaults under each budget of training."""


def check_agent(settings: AgentSettings) -> AgentSettings:
    """Return the settings with plain numbers, or raise InvalidParameterError."""
    return checked(settings)


def epsilons(settings: AgentSettings, decisions: int) -> list[float]:
    """Probability of a random action at each of all decisions of the training.

    >>> epsilons(AgentSettings(epsilon_last=0.5), 4)
    [1.0, 0.75, 0.5, 0.5]
    """
    span = settings.epsilon_share * decisions
    fall = settings.epsilon_first - settings.epsilon_last
    return [
        settings.epsilon_first - fall * (min(t / span, 1.0) if span > 0.0 else 1.0)
        for t in range(decisions)
    ]
