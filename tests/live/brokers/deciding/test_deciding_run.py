"""Runs that are killed go on from the last whole episode, and decide as if they were not."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.learning import measured_intervals
from algorithms.learning.agent_settings import AgentSettings
from algorithms.learning.cluster_settings import BrokerSettings
from algorithms.learning.online_agent import OnlineAgent
from live.brokers.deciding import deciding_run, episode_store
from live.brokers.deciding.deciding_run import ACTING, KAFKA, LEARNING, ROWS, Deciding, Part
from live.brokers.deciding.episode_decisions import Decision
from live.brokers.deciding.episode_store import EpisodeStore
from live.brokers.deciding.observed_interval import Environment, Observed
from live.brokers.deciding.row_environment import RowEnvironment
from pipeline.base.errors import StageError
from tests.live.brokers.deciding import measured_row_cases

pytestmark = pytest.mark.unit

STEPS, EPISODES = 12, 3
CLUSTER = measured_intervals.cluster_of(measured_row_cases.rows(), 0.25, 3, 5)
DECIDING = Deciding(
    BrokerSettings(min_brokers=3, max_brokers=5, steps=STEPS, load=0.25),
    EPISODES,
    True,
    None,
    0.5,
    7,
    "4.4.0",
    {"decision_s": 40.0},
)
PART = Part("double_dqn", "weighted", KAFKA, LEARNING)


class Killed(BaseException):
    """The process is gone."""


class Pretended:
    """A cluster that answers as rows do, until it is killed, or fails, at an interval."""

    def __init__(self, seed: int, until: int, error: BaseException) -> None:
        self._rows, self._left, self._error = RowEnvironment(CLUSTER, seed), until, error

    def begin(self, brokers: int) -> Observed:
        return self._answer(self._rows.begin(brokers))

    def step(self, brokers: int) -> Observed:
        return self._answer(self._rows.step(brokers))

    def _answer(self, seen: Observed) -> Observed:
        if self._left == 0:
            raise self._error
        self._left -= 1
        return seen._replace(seconds=10.0)


def clusters(kills: list[int], error: BaseException) -> deciding_run.Clusters:
    """New clusters, of which the first ones end after some intervals; -1 for none."""

    @contextmanager
    def begun(folder: Path, seed: int) -> Iterator[Environment]:
        assert not list(folder.iterdir())
        (folder / "data").write_text("of this episode")
        yield Pretended(seed, kills.pop(0) if kills else -1, error)

    return begun


def done(folder: Path) -> list[Decision]:
    return [one for one, _ in episode_store.read(PART.folder(folder))]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Decision]:
    """Decisions of a run that nothing breaks off."""
    folder = tmp_path_factory.mktemp("whole")
    deciding_run.run(DECIDING, [PART], folder, clusters([], Killed()))
    return done(folder)


def test_a_run_has_all_decisions_and_learns(whole: list[Decision]) -> None:
    assert [(one.episode, one.step) for one in whole] == [
        (e, k) for e in range(1, EPISODES + 1) for k in range(1, STEPS + 1)
    ]
    # Updates begin with a batch of 10.
    assert [one.loss == one.loss for one in whole] == [n >= 10 for n in range(1, 37)]
    # The first 10 decisions of episodes 1 and 2 are random.
    assert sum(one.explores for one in whole) > 6
    starts = {one.episode: one.before for one in whole if one.step == 1}
    assert starts == {e + 1: DECIDING.start(e) for e in range(EPISODES)}


@pytest.mark.parametrize("at", range(STEPS + 1))
def test_a_kill_at_each_point_of_an_episode_changes_no_decision(
    at: int, whole: list[Decision], tmp_path: Path
) -> None:
    with pytest.raises(Killed):
        deciding_run.run(DECIDING, [PART], tmp_path, clusters([-1, at], Killed()))
    assert len(done(tmp_path)) == STEPS
    deciding_run.run(DECIDING, [PART], tmp_path, clusters([], Killed()))
    assert repr(done(tmp_path)) == repr(whole)


def test_a_kill_before_an_episode_is_stored_repeats_it(
    whole: list[Decision], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(episode_store, "_write", killed)
        with pytest.raises(Killed):
            deciding_run.run(DECIDING, [PART], tmp_path, clusters([], Killed()))
    assert done(tmp_path) == []
    deciding_run.run(DECIDING, [PART], tmp_path, clusters([], Killed()))
    assert repr(done(tmp_path)) == repr(whole)


def test_an_episode_that_fails_is_begun_again(whole: list[Decision], tmp_path: Path) -> None:
    fails = clusters([3, 5, -1, 0], StageError("a broker did not join"))
    deciding_run.run(DECIDING, [PART], tmp_path, fails)
    assert repr(done(tmp_path)) == repr(whole)


def test_an_episode_that_fails_three_times_ends_the_run(tmp_path: Path) -> None:
    fails = clusters([1, 1, 1], StageError("a broker did not join"))
    with pytest.raises(StageError, match="did not join"):
        deciding_run.run(DECIDING, [PART], tmp_path, fails)
    assert done(tmp_path) == []


def test_another_task_begins_again(tmp_path: Path) -> None:
    deciding_run.run(DECIDING, [PART], tmp_path, clusters([], Killed()))
    shorter = DECIDING._replace(episodes=1, seed=8)
    deciding_run.run(shorter, [PART], tmp_path, clusters([], Killed()))
    assert len(done(tmp_path)) == STEPS


def test_decisions_on_another_cluster_are_made_again_and_training_on_rows_is_kept(
    tmp_path: Path,
) -> None:
    acting = DECIDING._replace(learns=False, rows=CLUSTER, episodes=1)
    parts = deciding_run.parts(acting, ("dqn",), ("count",))
    deciding_run.run(acting, parts, tmp_path, clusters([], Killed()))
    places = [one.folder(tmp_path) / episode_store.WHOLE for one in parts]
    before = [place.stat().st_mtime_ns for place in places]
    faster = acting._replace(cluster={"decision_s": 10.0})
    deciding_run.run(faster, parts, tmp_path, clusters([], Killed()))
    after = [place.stat().st_mtime_ns for place in places]
    is_kept = [one == other for one, other in zip(before, after, strict=True)]
    assert is_kept == [one.cluster == ROWS for one in parts]


def test_agents_that_only_act_were_trained_on_rows(tmp_path: Path) -> None:
    acting = DECIDING._replace(learns=False, rows=CLUSTER, episodes=1)
    parts = deciding_run.parts(acting, ("dqn", "optimal", "threshold"), ("count",))
    assert [(one.decider, one.cluster, one.phase) for one in parts] == [
        ("dqn", ROWS, LEARNING),
        *(
            (name, cluster, ACTING)
            for name in ("dqn", "optimal", "threshold")
            for cluster in (ROWS, KAFKA)
        ),
    ]
    deciding_run.run(acting, parts, tmp_path, clusters([], Killed()))
    counts = [len(list(episode_store.read(one.folder(tmp_path)))) for one in parts]
    assert counts == [10 * STEPS, *[STEPS] * 6]
    best = [one for one, _ in episode_store.read(parts[4].folder(tmp_path))]
    # With reward 1 the optimum goes to the fewest brokers, and stays.
    assert best[-1].after == 3
    assert {one.action for one in best} <= {-1, 0}


def test_without_rows_agents_learn_on_the_cluster_alone() -> None:
    parts = deciding_run.parts(DECIDING, ("dqn", "double_dqn"), ("count", "weighted"))
    assert {one.cluster for one in parts} == {KAFKA}
    assert len(parts) == 4


def test_damaged_files_are_named(tmp_path: Path) -> None:
    deciding_run.run(DECIDING._replace(episodes=1), [PART], tmp_path, clusters([], Killed()))
    place = PART.folder(tmp_path)
    (place / episode_store.LINES).write_text("")
    with pytest.raises(StageError, match="shorter than it was"):
        EpisodeStore(place, deciding_run._task(DECIDING._replace(episodes=1), PART))
    (place / episode_store.WHOLE).write_bytes(b"PK")
    with pytest.raises(StageError, match="what was learned is damaged"):
        EpisodeStore(place, "any")


def test_what_an_agent_stored_is_refused_by_one_of_other_settings() -> None:
    small = AgentSettings(hidden=(4,))
    one = OnlineAgent(DECIDING.brokers, small, "dqn", 1, 1)
    with pytest.raises(InvalidParameterError, match="of an agent with other settings"):
        OnlineAgent(DECIDING.brokers, AgentSettings(hidden=(5,)), "dqn", 1, 1).restore(one.stored())
