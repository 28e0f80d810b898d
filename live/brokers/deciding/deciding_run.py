"""Deciders on a cluster and on measured rows, episode by episode; after a kill it goes on.

Each decider and reward has a folder, named after both, with a folder of `episode_store` for each
of its parts: what it did on measured rows, and what on the cluster.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import NamedTuple

from algorithms.core.seeds import derive_seed
from algorithms.learning import broker_model, broker_rollout
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.learning_names import AGENTS
from algorithms.learning.measured_intervals import MeasuredCluster
from algorithms.learning.online_agent import OnlineAgent
from live.brokers.deciding import episode_decisions
from live.brokers.deciding.deciders import Decider, Learner, Optimum, Threshold, Trained
from live.brokers.deciding.deciding_choices import OPTIMAL
from live.brokers.deciding.episode_store import EpisodeStore
from live.brokers.deciding.observed_interval import Environment
from live.brokers.deciding.row_environment import RowEnvironment
from pipeline.base import progress
from pipeline.base.errors import StageError

TRIES = 3
"""How often an episode on the cluster is begun until one that fails ends the run."""

AGENT = 1
"""Number of the agent: there is one of each, whose result is an illustration."""

LEARNING, ACTING = "learning", "acting"
ROWS, KAFKA = "rows", "kafka"

Clusters = Callable[[Path, int], AbstractContextManager[Environment]]
"""A new cluster in a new folder; the number decides which brokers leave."""


class Deciding(NamedTuple):
    """What all parts of a run share."""

    brokers: BrokerSettings
    """Bounds, steps, load and what rewards are made of."""
    episodes: int
    """On the cluster."""
    learns: bool
    rows: MeasuredCluster | None
    """None without measured rows, which agents that learn on the cluster do not need."""
    margin: float
    seed: int
    version: str
    """Of Kafka."""
    cluster: Mapping[str, object]
    """All other settings of the cluster, and of its intervals."""

    def start(self, episode: int) -> int:
        """Brokers at the start of an episode, from 0: the same for all deciders."""
        return int(broker_rollout.episode(self.brokers, self.seed, AGENT, episode).starts[0])


class Part(NamedTuple):
    """Episodes of a decider on one cluster."""

    decider: str
    reward: str
    cluster: str
    """`ROWS` or `KAFKA`."""
    phase: str
    """`LEARNING` or `ACTING`."""

    def folder(self, folder: Path) -> Path:
        """Where its decisions are."""
        return folder / f"{self.decider}-{self.reward}" / f"{self.cluster}-{self.phase}"


def parts(deciding: Deciding, deciders: tuple[str, ...], rewards: tuple[str, ...]) -> list[Part]:
    """All parts, in order."""
    found = []
    for reward in rewards:
        for name in deciders:
            learns = deciding.learns and name in AGENTS
            phase = LEARNING if learns else ACTING
            if name in AGENTS and not learns:
                found.append(Part(name, reward, ROWS, LEARNING))
            clusters = (ROWS, KAFKA) if deciding.rows is not None else (KAFKA,)
            found += [Part(name, reward, cluster, phase) for cluster in clusters]
    return found


def run(deciding: Deciding, own: list[Part], folder: Path, clusters: Clusters) -> None:
    """Do all parts that are not done yet, episode by episode.

    Raises StageError if an episode fails `TRIES` times.
    """
    for part in own:
        place = part.folder(folder)
        trained = _trained(deciding, part, folder)
        store = EpisodeStore(place, _task(deciding, part))
        try:
            for _ in range(store.episodes, _episodes(deciding, part)):
                _episode(deciding, part, store, place / "cluster", clusters, trained)
        finally:
            store.close()


def _episode(
    deciding: Deciding,
    part: Part,
    store: EpisodeStore,
    folder: Path,
    clusters: Clusters,
    trained: OnlineAgent | None,
) -> None:
    """One episode, begun again if the cluster fails, with what was learned before it."""
    for left in reversed(range(TRIES)):
        decider = _decider(deciding, part, trained)
        if store.stored:
            decider.restore(store.stored)
        try:
            _decide(deciding, part, store, decider, folder, clusters)
            return
        except StageError as error:
            store.discard()
            if not left:
                raise
            progress.note(f"episode {store.episodes + 1} is begun again: {error}")


def _decide(
    deciding: Deciding,
    part: Part,
    store: EpisodeStore,
    decider: Decider,
    folder: Path,
    clusters: Clusters,
) -> None:
    episode = store.episodes
    seed = derive_seed(deciding.seed, part.cluster, part.phase, episode)
    is_live = part.cluster == KAFKA
    if is_live:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        progress.note(
            f"{part.decider}, reward {part.reward}: episode {episode + 1} of "
            f"{_episodes(deciding, part)} on the cluster"
        )
    with clusters(folder, seed) if is_live else _rows(deciding, seed) as environment:
        made = episode_decisions.decisions(
            environment,
            decider,
            deciding.brokers,
            part.reward,
            episode,
            deciding.start(episode),
        )
        for one in made:
            store.append(one, kafka_version=deciding.version if is_live else None)
            if one.refusal and is_live:
                progress.note(f"decision {one.step} keeps the brokers: {one.refusal}")
    store.end_episode(decider.stored())


def _rows(deciding: Deciding, seed: int) -> AbstractContextManager[Environment]:
    assert deciding.rows is not None  # `parts` has none of them then
    return nullcontext(RowEnvironment(deciding.rows, seed))


def _episodes(deciding: Deciding, part: Part) -> int:
    """Number of episodes of a part."""
    trains = part.phase == LEARNING and not deciding.learns
    return AgentSettings().episodes if trains else deciding.episodes


def _trained(deciding: Deciding, part: Part, folder: Path) -> OnlineAgent | None:
    """The agent of a part that only acts, as it is after its part on the rows; None for others."""
    if part.decider not in AGENTS or part.phase == LEARNING:
        return None
    before = part._replace(cluster=ROWS, phase=LEARNING)
    store = EpisodeStore(before.folder(folder), _task(deciding, before))
    store.close()
    agent = _agent(deciding, before)
    agent.restore(store.stored)
    return agent


def _decider(deciding: Deciding, part: Part, trained: OnlineAgent | None) -> Decider:
    settings, rows = deciding.brokers, deciding.rows
    if trained is not None:
        assert rows is not None
        return Trained(trained, rows.limits(deciding.margin))
    if part.decider in AGENTS:
        return Learner(_agent(deciding, part))
    if part.decider == OPTIMAL:
        assert rows is not None
        return Optimum(rows.optimum(settings, part.reward), settings.min_brokers)
    return Threshold(broker_model.objective_ms(settings, part.reward))


def _agent(deciding: Deciding, part: Part) -> OnlineAgent:
    """A new agent, with the printed settings."""
    settings = AgentSettings(episodes=_episodes(deciding, part))
    return OnlineAgent(deciding.brokers, settings, part.decider, deciding.seed, AGENT)


def _task(deciding: Deciding, part: Part) -> str:
    """Digest of all that decisions depend on."""
    rows = None if deciding.rows is None else deciding.rows.rows
    cluster = deciding.cluster if part.cluster == KAFKA else {}
    words = repr((*deciding._replace(rows=None, cluster=cluster), rows, part))
    return hashlib.sha256(words.encode()).hexdigest()
