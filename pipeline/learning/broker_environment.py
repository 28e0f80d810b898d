"""The cluster of brokers as Gymnasium environments, single and vectorized."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import Env, spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from algorithms.learning import broker_model, broker_rollout
from algorithms.learning.broker_rollout import Episodes, Stepped
from algorithms.learning.cluster_settings import BrokerSettings, check_brokers
from algorithms.learning.learning_names import REWARDS, check_name

Metrics = NDArray[np.float32]

_LIMITS = 10.0 * np.array(broker_model.RANGES, np.float32)
_SEEDS = 2**31


def _spaces() -> tuple[spaces.Box, spaces.Discrete[Any]]:
    """Observations up to ten times the declared ranges; remove, keep or add a broker."""
    return spaces.Box(np.zeros_like(_LIMITS), _LIMITS, dtype=np.float32), spaces.Discrete(3)


def _metrics(stepped: Stepped) -> Metrics:
    metrics: Metrics = np.minimum(stepped.observations, _LIMITS).astype(np.float32)
    return metrics


class BrokerEnvironment(Env[Any, np.int64]):
    """One cluster.

    Episodes end by ``truncated`` after the last step; no state is terminal. ``info`` has
    ``p95_ms``, ``brokers`` and ``moved``. Metrics above ten times their range are clipped. A seed
    and the number of resets since it was given determine an episode.

    Parameters
    ----------
    settings : BrokerSettings, optional
        The cluster.
    reward : str
        One of `algorithms.learning.learning_names.REWARDS`.

    Raises
    ------
    InvalidParameterError
        If a setting or the reward is invalid.
    """

    metadata = {"render_modes": []}  # noqa: RUF012  Gymnasium declares it on instances

    def __init__(self, settings: BrokerSettings | None = None, reward: str = "weighted") -> None:
        self.settings = check_brokers(settings or BrokerSettings())
        self.reward = check_name("reward", reward, REWARDS)
        self.observation_space, self.action_space = _spaces()
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
            self._root = int(self.np_random.integers(_SEEDS))
            self._index = 0
        self._episode = broker_rollout.episode(self.settings, self._root, 0, self._index)
        self._index += 1
        self._step = 0
        stepped = broker_rollout.observe_first(self.settings, self._episode)
        self._brokers = stepped.brokers
        return _metrics(stepped)[0], _info(stepped)

    def step(self, action: np.int64) -> tuple[Metrics, float, bool, bool, dict[str, Any]]:
        """Carry out an action and let an interval pass; see `gymnasium.Env.step`."""
        assert self._episode is not None, "call reset() before step()"
        noise = self._episode.noise[:, self._step + 1]
        actions = np.array([action], np.int64)
        stepped = broker_rollout.step(
            self.settings, self.reward, self._brokers, actions, self._step, noise
        )
        self._step += 1
        self._brokers = stepped.brokers
        ends = self._step == self.settings.steps
        return _metrics(stepped)[0], float(stepped.rewards[0]), False, ends, _info(stepped)


class BrokerEnvironments(VectorEnv[Any, Any, Any]):
    """E clusters that are stepped at once.

    All episodes end at the same step. The step after it begins new ones and ignores its actions
    (autoreset mode ``NEXT_STEP``), with reward 0.

    Parameters
    ----------
    num_envs : int
        Number of clusters E.
    settings, reward
        As for `BrokerEnvironment`.
    """

    metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012

    def __init__(
        self, num_envs: int, settings: BrokerSettings | None = None, reward: str = "weighted"
    ) -> None:
        self.settings = check_brokers(settings or BrokerSettings())
        self.reward = check_name("reward", reward, REWARDS)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = _spaces()
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._root = 0
        self._index = 0
        self._step = 0
        self._episodes: Episodes | None = None
        self._brokers = np.zeros(num_envs, np.int64)

    def reset(
        self,
        *,
        seed: int | list[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Metrics, dict[str, Any]]:
        """Begin an episode in every cluster; see `gymnasium.vector.VectorEnv.reset`."""
        if isinstance(seed, int) or self._episodes is None:
            self._root = seed if isinstance(seed, int) else int(self.np_random.integers(_SEEDS))
            self._index = 0
        clusters, index = range(self.num_envs), range(self._index, self._index + 1)
        self._episodes = broker_rollout.episodes(self.settings, self._root, clusters, index)
        self._index += 1
        self._step = 0
        stepped = broker_rollout.observe_first(self.settings, self._episodes)
        self._brokers = stepped.brokers
        return _metrics(stepped), _infos(stepped)

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[Metrics, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Step every cluster; see `gymnasium.vector.VectorEnv.step`."""
        assert self._episodes is not None, "call reset() before step()"
        terminated = np.zeros(self.num_envs, np.bool_)
        if self._step == self.settings.steps:
            observations, infos = self.reset()
            return observations, np.zeros(self.num_envs), terminated, terminated.copy(), infos
        noise = self._episodes.noise[:, self._step + 1]
        stepped = broker_rollout.step(
            self.settings, self.reward, self._brokers, actions, self._step, noise
        )
        self._step += 1
        self._brokers = stepped.brokers
        ends = np.full(self.num_envs, self._step == self.settings.steps)
        return _metrics(stepped), stepped.rewards, terminated, ends, _infos(stepped)


def _info(stepped: Stepped) -> dict[str, Any]:
    return {name: values[0].item() for name, values in _infos(stepped).items()}


def _infos(stepped: Stepped) -> dict[str, Any]:
    return {"p95_ms": stepped.p95_ms, "brokers": stepped.brokers, "moved": stepped.moved}
