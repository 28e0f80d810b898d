"""Settings of DQN and Double DQN: the paper's, and what it leaves open."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

from algorithms.autoscaling.number_checks import check_number, check_switch
from algorithms.core.arrays import check_count
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning.learning_names import OPTIMIZERS, SCALINGS, check_name

_MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """An agent; (P) is printed in the paper, (A) an assumption.

    Attributes
    ----------
    episodes : int
        Episodes of training (P).
    hidden : tuple of int
        Sizes of the fully connected layers (P), with ReLU between them (A).
    replay, batch, target_every : int
        Transitions kept, those of an update, and updates after which the target network is
        copied (P).
    gamma, learning_rate : float
        Discount and learning rate (P), both at most 1.
    optimizer : str
        ``rmsprop`` without momentum (P, which also names Adam once), or ``adam``.
    decay, stabilizer : float
        Decay of the mean square and what is added to it under the root, as in Keras (A).
    epsilon_first, epsilon_last : float
        Share of random actions at the beginning and at the end (P).
    epsilon_share : float
        Share of all decisions over which it falls, linearly (A).
    random_first, random_episodes : int
        The first decisions that are random, in each of the first episodes (P).
    scaling : str
        ``ranges`` divides metrics by declared ranges before the normalization of the input (A);
        ``raw`` does not.
    time_limit_ends : bool
        Whether the last state of an episode has the value 0 (A: it has not).
    held_out : int
        Episodes on which the greedy policy is judged.
    evaluate_every : int
        Episodes of training between judgements; the last one is always judged.
    """

    episodes: int = 10
    hidden: tuple[int, ...] = (64, 128, 256)
    replay: int = 42
    batch: int = 10
    target_every: int = 5
    gamma: float = 0.99
    learning_rate: float = 2.5e-4
    optimizer: str = "rmsprop"
    decay: float = 0.9
    stabilizer: float = 1e-7
    epsilon_first: float = 1.0
    epsilon_last: float = 0.1
    epsilon_share: float = 0.5
    random_first: int = 10
    random_episodes: int = 2
    scaling: str = "ranges"
    time_limit_ends: bool = False
    held_out: int = 256
    evaluate_every: int = 1


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
    """Return the settings with plain numbers, or raise if one is invalid.

    Raises
    ------
    InvalidParameterError
        If a setting is out of bounds or a name is unknown.
    """
    values = asdict(settings)
    checked: dict[str, Any] = {
        name: check_count(name, values[name], least, _MOST)
        for name, least in {
            "episodes": 1,
            "replay": 1,
            "target_every": 1,
            "random_first": 0,
            "random_episodes": 0,
            "held_out": 1,
            "evaluate_every": 1,
        }.items()
    }
    checked["batch"] = check_count("batch", settings.batch, 1, checked["replay"])
    for name in ("gamma", "decay", "epsilon_first", "epsilon_last", "epsilon_share"):
        checked[name] = check_number(name, values[name], at_least=0.0, at_most=1.0)
    # Weights can overflow with greater rates, and a policy with such weights cannot be judged.
    for name, most in {"learning_rate": 1.0, "stabilizer": math.inf}.items():
        checked[name] = check_number(name, values[name], above=0.0, at_most=most)
    check_switch("time_limit_ends", settings.time_limit_ends)
    check_name("optimizer", settings.optimizer, OPTIMIZERS)
    check_name("scaling", settings.scaling, SCALINGS)
    if not settings.hidden:
        raise InvalidParameterError("hidden must have at least one layer (got none)")
    hidden = tuple(check_count("hidden", size, 1, 10_000) for size in settings.hidden)
    return replace(settings, **checked, hidden=hidden)


def epsilons(settings: AgentSettings, decisions: int) -> list[float]:
    """Probability of a random action at each of all decisions of the training.

    Examples
    --------
    >>> epsilons(AgentSettings(epsilon_last=0.5), 4)
    [1.0, 0.75, 0.5, 0.5]
    """
    span = settings.epsilon_share * decisions
    fall = settings.epsilon_first - settings.epsilon_last
    return [
        settings.epsilon_first - fall * (min(t / span, 1.0) if span > 0.0 else 1.0)
        for t in range(decisions)
    ]
