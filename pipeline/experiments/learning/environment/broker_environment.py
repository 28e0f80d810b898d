"""The cluster of brokers as Gymnasium environments, single and vectorized."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.error import ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from algorithms.core.arrays import check_count, check_seed
from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import broker_rollout
from algorithms.learning.broker_rollout import Episodes, Stepped
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.learning_names import REWARDS, check_name
from pipeline.experiments.learning.environment.broker_spaces import (
    Metrics,
    checked_actions,
    drawn_root,
    limits_of,
    metrics_of,
    spaces_of,
)

MOST_CLUSTERS = 1_000_000
"""Clusters at once: more would not fit into memory."""

Seeds = int | np.integer | Sequence[int | None] | NDArray[np.integer]


class BrokerEnvironment(Env[Any, np.int64]):
    """One cluster.

    Episodes end by ``truncated`` after the last step; no state is terminal. ``info`` has
    ``p95_ms``, ``brokers`` and ``moved``. Metrics above ten times their range are clipped. A seed
    and the number of resets since it was given determine an episode.

    reward: One of `algorithms.learning.learning_names.REWARDS`.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  Gymnasium declares it on instances

    def __init__(self, settings: BrokerSettings | None = None, reward: str = "weighted") -> None:
        self.settings = check_brokers(settings or BrokerSettings())
        self.reward = check_name("reward", reward, REWARDS)
        self._limits = limits_of(self.settings)
        self.observation_space, self.action_space = spaces_of(self._limits)
        self._root = 0
        self._index = 0
        self._step = 0
        self._episode: Episodes | None = None
        self._brokers = np.zeros(1, np.int64)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Metrics, dict[str, Any]]:
        """Begin the next episode; see `gymnasium.Env.reset`."""
        super().reset(seed=seed)
        if seed is not None or self._episode is None:
            self._root = drawn_root(self.np_random)
            self._index = 0
        self._episode = broker_rollout.episode(self.settings, self._root, 0, self._index)
        self._index += 1
        self._step = 0
        stepped = broker_rollout.observe_first(self.settings, self._episode)
        self._brokers = stepped.brokers
        return metrics_of(stepped, self._limits)[0], _info(stepped)

    def step(self, action: np.int64) -> tuple[Metrics, float, bool, bool, dict[str, Any]]:
        """Carry out an action and let an interval pass; see `gymnasium.Env.step`."""
        if self._episode is None or self._step == self.settings.steps:
            raise ResetNeeded("call reset() before step()")
        noise = self._episode.noise[:, self._step + 1]
        actions = checked_actions([action], 1)
        stepped = broker_rollout.step(
            self.settings, self.reward, self._brokers, actions, self._step, noise
        )
        self._step += 1
        self._brokers = stepped.brokers
        ends = self._step == self.settings.steps
        metrics = metrics_of(stepped, self._limits)[0]
        return metrics, float(stepped.rewards[0]), False, ends, _info(stepped)


class BrokerEnvironments(VectorEnv[Any, Any, Any]):
    """E clusters that are stepped at once.

    All episodes end at the same step. The step after it begins new ones and ignores its actions
    (autoreset mode ``NEXT_STEP``), with reward 0.

    num_envs: Number of clusters E, at least 1.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self, num_envs: int, settings: BrokerSettings | None = None, reward: str = "weighted"
    ) -> None:
        self.settings = check_brokers(settings or BrokerSettings())
        self.reward = check_name("reward", reward, REWARDS)
        self.num_envs = check_count("num_envs", num_envs, 1, MOST_CLUSTERS)
        self._limits = limits_of(self.settings)
        self.single_observation_space, self.single_action_space = spaces_of(self._limits)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._places: list[list[int]] = []
        self._step = 0
        self._episodes: Episodes | None = None
        self._brokers = np.zeros(self.num_envs, np.int64)

    def reset(
        self,
        *,
        seed: Seeds | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Metrics, dict[str, Any]]:
        """Begin an episode in every cluster; see `gymnasium.vector.VectorEnv.reset`.

        seed: One for all: cluster e has noise of its own. Or one per cluster, which then has the
            episodes that `BrokerEnvironment` has with this seed; those with None go on.
        """
        if seed is not None or not self._places:
            self._seed(seed)
        seeds = [broker_rollout.episode_seed(*place) for place in self._places]
        self._episodes = broker_rollout.drawn(self.settings, seeds)
        for place in self._places:
            place[-1] += 1
        self._step = 0
        stepped = broker_rollout.observe_first(self.settings, self._episodes)
        self._brokers = stepped.brokers
        return metrics_of(stepped, self._limits), _infos(stepped)

    def _seed(self, seed: Any) -> None:
        """Set root, number and next episode of each cluster."""
        if not isinstance(seed, Sequence | np.ndarray):
            root = drawn_root(self.np_random) if seed is None else check_seed(seed)
            self._places = [[root, cluster, 0] for cluster in range(self.num_envs)]
            return
        if len(seed) != self.num_envs:
            raise InvalidParameterError(
                f"seed must have one value per cluster, {self.num_envs} (got {len(seed)})"
            )
        roots = [
            None if one is None else drawn_root(seeding.np_random(check_seed(one))[0])
            for one in seed
        ]
        if None in roots and not self._places:
            self._seed(None)
        self._places = [
            self._places[cluster] if root is None else [root, 0, 0]
            for cluster, root in enumerate(roots)
        ]

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Metrics, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Step every cluster; see `gymnasium.vector.VectorEnv.step`."""
        if self._episodes is None:
            raise ResetNeeded("call reset() before step()")
        terminated = np.zeros(self.num_envs, np.bool_)
        if self._step == self.settings.steps:
            observations, infos = self.reset()
            return observations, np.zeros(self.num_envs), terminated, terminated.copy(), infos
        noise = self._episodes.noise[:, self._step + 1]
        stepped = broker_rollout.step(
            self.settings,
            self.reward,
            self._brokers,
            checked_actions(actions, self.num_envs),
            self._step,
            noise,
        )
        self._step += 1
        self._brokers = stepped.brokers
        ends = np.full(self.num_envs, self._step == self.settings.steps)
        metrics = metrics_of(stepped, self._limits)
        return metrics, stepped.rewards, terminated, ends, _infos(stepped)


def _info(stepped: Stepped) -> dict[str, Any]:
    return {name: values[0].item() for name, values in _infos(stepped).items()}


def _infos(stepped: Stepped) -> dict[str, Any]:
    return {"p95_ms": stepped.p95_ms, "brokers": stepped.brokers, "moved": stepped.moved}
