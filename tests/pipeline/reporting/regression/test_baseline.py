"""Which run is the baseline: the newest that was accepted, by a person or by the gate itself."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import InputError
from pipeline.base.paths import Paths
from pipeline.reporting.regression import baseline, baseline_candidates
from pipeline.reporting.regression.baseline_candidates import History, Promotion, Recorded
from pipeline.settings import load
from pipeline.warehouse.storage.reader import FileSource

pytestmark = pytest.mark.unit

START = datetime(2026, 11, 1, tzinfo=UTC)


def run(
    name: str,
    night: float,
    *,
    moved: bool = False,
    setup: str = "nightly",
    published: bool = True,
    days: float = 0.1,
    seed: int = 1,
) -> Recorded:
    """A run of some night, which took some days to be published."""
    begun = START + timedelta(days=night)
    return Recorded(
        name, setup, seed, "abc", begun, begun + timedelta(days=days) if published else None, moved
    )


def promoted(name: str, night: float) -> Promotion:
    return Promotion(name, START + timedelta(days=night), "ada", "meant")


def chosen(
    *runs: Recorded,
    promotions: tuple[Promotion, ...] = (),
    but: str = "",
    seed: int | None = None,
) -> str:
    """Id of the baseline of configuration ``nightly``."""
    history = History({r.run_id: r for r in runs}, promotions)
    picked = baseline.choose(history, "nightly", seed, {but})
    return picked.run.run_id if picked else ""


def test_it_is_the_last_run_in_which_nothing_moved() -> None:
    assert chosen() == ""
    assert chosen(run("a", 1), run("b", 2)) == "b"
    assert chosen(run("a", 1), run("b", 2), but="b") == "a"


def test_one_of_the_same_seed_comes_first() -> None:
    """A run of other streams, made by hand, must not end the comparison bit for bit."""
    runs = [run("a", 1), run("b", 2), run("by hand", 3, seed=7)]
    assert chosen(*runs, seed=1) == "b"
    assert chosen(*runs, seed=7) == "by hand"
    assert chosen(*runs, seed=8) == chosen(*runs) == "by hand"
    drifted = run("b", 2, moved=True)
    assert chosen(run("a", 1), drifted, run("by hand", 3, seed=7), seed=1) == "a"


def test_one_of_the_same_seed_does_not_undo_a_promotion() -> None:
    runs = [run("a", 1), run("by hand", 2, seed=7, moved=True)]
    accepted = (promoted("by hand", 2.5),)
    assert chosen(*runs, promotions=accepted, seed=1) == "by hand"
    assert chosen(*runs, run("b", 3), run("c", 4, seed=7), promotions=accepted, seed=1) == "b"


def test_a_drift_stays_one_until_it_is_promoted() -> None:
    nights = [run("a", 1), run("b", 2, moved=True), run("c", 3, moved=True)]
    assert chosen(*nights) == "a"
    assert chosen(*nights, promotions=(promoted("b", 3.5),)) == "b"
    later = run("d", 4)
    assert chosen(*nights, later, promotions=(promoted("b", 3.5),)) == "d"


def test_a_night_that_is_published_late_does_not_undo_a_promotion() -> None:
    """MLflow was down: the night was compared with `a`, and published once `b` was accepted."""
    nights = [run("a", 1), run("b", 2, moved=True), run("late", 3, days=5)]
    assert chosen(*nights, promotions=(promoted("b", 4),)) == "b"
    assert chosen(*nights, run("c", 9), promotions=(promoted("b", 4),)) == "c"


def test_going_back_is_promoting_an_older_run() -> None:
    assert chosen(run("a", 1), run("b", 2), promotions=(promoted("a", 2.5),)) == "a"


def test_a_promotion_is_about_the_rows_of_its_time() -> None:
    """The id has run again since: its current rows have not been accepted."""
    again = run("b", 3, moved=True)
    assert chosen(run("a", 1), again, promotions=(promoted("b", 2.5),)) == "a"
    assert baseline.accepted(History({"b": again}, (promoted("b", 2.5),))) == {}


def test_publishing_a_run_again_leaves_its_promotion_alone() -> None:
    """MLflow's task was cleared after the promotion, and the end of the run with it."""
    again = run("b", 2, moved=True, days=3)
    assert baseline.accepted(History({"b": again}, (promoted("b", 3),))) == {"b": promoted("b", 3)}
    assert chosen(run("a", 1), again, promotions=(promoted("b", 3),)) == "b"


def test_other_configurations_and_unpublished_runs_do_not_count() -> None:
    others = [run("b", 2, setup="smoke"), run("c", 3, published=False)]
    assert chosen(run("a", 1), *others, promotions=(promoted("b", 4), promoted("c", 4))) == "a"


def test_the_last_of_several_promotions_counts() -> None:
    history = History({"a": run("a", 1)}, (promoted("a", 3), promoted("a", 2), promoted("x", 2)))
    assert baseline.accepted(history) == {"a": promoted("a", 3)}


def test_present_baselines_are_those_of_configurations_in_use() -> None:
    runs = [run("a", 1), run("b", 2), run("c", 3), run("d", 4, moved=True), run("s", 1, setup="s")]
    history = History({r.run_id: r for r in runs}, (promoted("a", 1.5),))
    assert baseline.present(history, START) == {"c", "s"}
    # A run in which something moved says as well that its configuration is in use.
    assert baseline.present(history, START + timedelta(days=4)) == {"c"}
    assert baseline.present(history, START + timedelta(days=5)) == set()


def test_present_baselines_are_those_of_seeds_that_run_again() -> None:
    nights = [run("a", 1), run("b", 2), run("c", 3, seed=7), run("d", 4, seed=8)]
    history = History({r.run_id: r for r in nights})
    assert baseline.present(history, START) == {"b", "d"}
    # A seed that comes once, or came again long ago, is compared with the newest of all.
    assert baseline.present(history, START + timedelta(days=1.5)) == {"d"}


RUNS = st.lists(
    st.builds(
        run, st.integers(0, 9).map(str), st.integers(0, 9), moved=st.booleans(),
        setup=st.sampled_from(["nightly", "smoke"]), published=st.booleans(),
        seed=st.integers(1, 2),
    ),
    unique_by=lambda item: item.run_id,
)  # fmt: skip
PROMOTIONS = st.lists(st.builds(promoted, st.integers(0, 9).map(str), st.integers(0, 9)))


@given(RUNS, PROMOTIONS, st.sampled_from([None, 1, 2]))
def test_a_baseline_is_published_present_and_as_new_as_any_clean_run(
    runs: list[Recorded], promotions: list[Promotion], seed: int | None
) -> None:
    history = History({r.run_id: r for r in runs}, tuple(promotions))
    picked = baseline.choose(history, "nightly", seed)
    same = [r for r in runs if r.setup == "nightly"]
    clean = [r for r in same if r.published_at and not r.moved]
    if picked is None:
        assert not clean
        return
    for run_id, promotion in baseline.accepted(history).items():
        assert history.runs[run_id] not in same or picked.since >= promotion.promoted_at
    if picked.run.seed == seed and sum(r.seed == seed for r in same) > 1:
        clean = [r for r in clean if r.seed == seed]
    elif seed is not None:
        return
    assert picked.run.setup == "nightly"
    assert picked.run.published_at is not None
    assert picked.run.run_id in baseline.present(history, START)
    assert not picked.run.moved or picked.run.run_id in baseline.accepted(history)
    assert all(picked.since >= r.created_at for r in clean)


def config(**changes: object) -> str:
    run_config = load.resolve("smoke", None, [f"{k}={v}" for k, v in changes.items()], [])
    return run_config.to_json(private=False)


def test_configurations_are_the_same_whatever_their_seed_and_preset() -> None:
    same = json.loads(config(seed=7)) | {"preset": "custom"}
    assert baseline_candidates.setup(json.dumps(same)) == baseline_candidates.setup(config(seed=8))
    assert baseline_candidates.setup(config()) != baseline_candidates.setup(config(partitions=7))


def test_a_configuration_of_an_older_version_has_todays_defaults() -> None:
    older = json.loads(config())
    for experiment in older["experiments"]:
        del experiment["clip"]
    assert baseline_candidates.setup(json.dumps(older)) == baseline_candidates.setup(config())


def test_a_configuration_that_is_no_longer_valid_is_like_itself_alone() -> None:
    strange = json.loads(config()) | {"phase_of_the_moon": "full"}
    assert baseline_candidates.setup(json.dumps(strange)) == baseline_candidates.setup(
        json.dumps(strange | {"seed": 5})
    )
    assert baseline_candidates.setup(json.dumps(strange)) != baseline_candidates.setup(config())


@pytest.mark.parametrize(
    ("version", "code"),
    [("0123abcd", "0123abcd"), ("0123abcd+changes", None), ("unknown", None), (None, None)],
)
def test_code_with_changes_is_not_known(version: str | None, code: str | None) -> None:
    assert baseline_candidates.known_code(version) == code


@pytest.fixture
def places(tmp_path: Path) -> Paths:
    """Tables of two runs; none has been promoted, so there is no table of promotions."""
    paths = Paths(tmp_path / "warehouse")
    begun = pa.array([START - timedelta(hours=1)] * 3, pa.timestamp("us", "UTC"))
    end = pa.array([START, START + timedelta(days=1), None], pa.timestamp("us", "UTC"))
    runs = {
        "run_id": ["a", "b", "c"],
        "status": ["published", "published", "running"],
        "config": [config()] * 3,
        "seed": [1, 2, 3],
        "versions": ['{"code": "abc"}'] * 2 + ['{"code": "abc", "module mine": "1f"}'],
        "created_at": begun,
        "finished_at": end,
    }
    moved = {"run_id": ["b", "b", "c"], "verdict": ["moved", "same", "same"]}
    write_deltalake(paths.table("runs"), pa.table(runs), partition_by=["run_id"])
    write_deltalake(paths.table("differences"), pa.table(moved), partition_by=["run_id"])
    return paths


def test_the_history_is_read_without_spark(places: Paths) -> None:
    history = baseline_candidates.read(FileSource(places))
    assert {name: (r.seed, r.moved) for name, r in history.runs.items()} == {
        "a": (1, False), "b": (2, True), "c": (3, False)
    }  # fmt: skip
    assert history.runs["a"].published_at == START
    assert history.runs["a"].created_at == START - timedelta(hours=1)
    assert history.runs["c"].published_at is None
    # An own algorithm is code too.
    assert {name: run.code for name, run in history.runs.items()} == {
        "a": "abc", "b": "abc", "c": "abc 1f"
    }  # fmt: skip
    assert history.promotions == ()
    picked = baseline.choose(history, history.runs["a"].setup)
    assert picked is not None
    assert picked.run.run_id == "a"


def test_a_run_that_is_not_published_is_refused_by_name(places: Paths) -> None:
    history = baseline_candidates.read(FileSource(places))
    with pytest.raises(InputError, match=r"`RUN_ID`: run 'c' is not published; .* b, a"):
        history.published("c")
    with pytest.raises(InputError, match=r"`--with`: run 'x' does not exist; .* b, a"):
        history.published("x", "--with")
    empty = baseline_candidates.read(FileSource(Paths(places.warehouse / "nowhere")))
    with pytest.raises(InputError, match="'x'"):
        empty.published("x")
