"""What the policy keeps: never the newest published run, never what is still young."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import InputError
from pipeline.engine import retention_policy
from pipeline.engine.retention_policy import Policy, Removal, Run

pytestmark = pytest.mark.unit

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def run(name: str, days: float, status: str = "published", preset: str = "nightly") -> Run:
    """A run that began some days ago."""
    return Run(name, preset, status, NOW - timedelta(days=days))


def test_bulky_rows_go_before_the_scores() -> None:
    runs = [run(f"r{age}", age) for age in range(5)]
    assert retention_policy.removal(runs, Policy(bulky_runs=2, runs=4), NOW) == Removal(
        bulky=("r2", "r3"), whole=("r4",)
    )


def test_presets_do_not_push_each_other_out() -> None:
    runs = [run("night", 9), *(run(f"s{age}", age, preset="smoke") for age in range(3))]
    removal = retention_policy.removal(runs, Policy(bulky_runs=1, runs=1), NOW)
    assert removal == Removal(bulky=(), whole=("s1", "s2"))


@pytest.mark.parametrize("status", ["failed", "running"])
def test_runs_that_came_to_nothing_go_after_a_week(status: str) -> None:
    runs = [run("old", 7.5, status), run("young", 6.5, status)]
    assert retention_policy.removal(runs, Policy(), NOW).whole == ("old",)


def test_baselines_lose_nothing() -> None:
    runs = [run(f"r{age}", age) for age in range(5)]
    removal = retention_policy.removal(runs, Policy(bulky_runs=2, runs=4), NOW, kept={"r2", "r4"})
    assert removal == Removal(bulky=("r3",), whole=())


def test_what_goes_is_told_with_the_reason() -> None:
    runs = [run(f"r{age}", age) for age in range(5)] + [run("broken", 9, "failed")]
    policy = Policy(bulky_runs=2, runs=4)
    message = retention_policy.explained(
        runs, retention_policy.removal(runs, policy, NOW), policy, NOW
    )
    assert [(item.run.run_id, item.what.split()[0], item.why) for item in message] == [
        ("broken", "all", "failed, 9 days old"),
        ("r4", "all", "not among the 4 newest of its preset"),
        ("r3", "rows", "not among the 2 newest of its preset"),
        ("r2", "rows", "not among the 2 newest of its preset"),
    ]


RUNS = st.lists(
    st.builds(
        run,
        st.integers(0, 99).map(str),
        st.floats(0, 900),
        st.sampled_from(["published", "failed", "running"]),
        st.sampled_from(["paper", "nightly"]),
    ),
    unique_by=lambda found: found.run_id,
)


@given(RUNS, st.integers(0, 5), st.integers(0, 5), st.sets(st.integers(0, 99).map(str)))
def test_baselines_change_nothing_for_others(
    runs: list[Run], bulky: int, whole: int, kept: set[str]
) -> None:
    plain = retention_policy.removal(runs, Policy(bulky, whole), NOW)
    removal = retention_policy.removal(runs, Policy(bulky, whole), NOW, kept)
    assert set(removal.bulky) == set(plain.bulky) - kept
    assert set(removal.whole) == set(plain.whole) - kept


@given(RUNS, st.integers(0, 5), st.integers(0, 5))
def test_the_newest_published_run_of_a_preset_keeps_everything(
    runs: list[Run], bulky: int, whole: int
) -> None:
    removal = retention_policy.removal(runs, Policy(bulky, whole), NOW)
    assert not set(removal.bulky) & set(removal.whole)
    for preset in ("paper", "nightly"):
        mine = [r for r in runs if (r.preset, r.status) == (preset, "published")]
        if mine:
            newest = max(mine, key=lambda r: (r.created_at, r.run_id)).run_id
            assert newest not in removal.bulky + removal.whole
        removed = [r for r in mine if r.run_id in removal.whole]
        assert len(removed) == max(0, len(mine) - max(1, whole))


def test_the_environment_sets_the_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUPSCALE_KEEP_BULKY", "3")
    assert retention_policy.policy() == Policy(bulky_runs=3)


@pytest.mark.parametrize("text", ["0", "-1", "many", "", "1e3", "100001"])
def test_other_words_are_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("GROUPSCALE_KEEP_RUNS", text)
    with pytest.raises(InputError, match="`GROUPSCALE_KEEP_RUNS`"):
        retention_policy.policy()
