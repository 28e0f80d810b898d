"""Relabelling keeps as many bytes in place as any renaming of the consumers could."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from algorithms.assignment import matching
from algorithms.core.sorting import ABSENT

pytestmark = pytest.mark.unit

Ids = NDArray[np.int32]
Speeds = NDArray[np.float64]


def relabelled(keys: Speeds, before: Ids, after: Ids) -> Ids:
    """Run the kernel on a copy."""
    renamed = after.copy()
    matching.relabel(keys, before, renamed, *matching.create(keys.shape[0]))
    return renamed


def kept(keys: Speeds, before: Ids, after: Ids) -> float:
    """Bytes of the partitions that stay where they were."""
    return float(keys[(before >= 0) & (before == after)].sum())


def most_kept(keys: Speeds, before: Ids, after: Ids) -> float:
    """The most bytes that any renaming keeps, by SciPy's dense solver."""
    n = keys.shape[0]
    weights = np.zeros((n, n))
    for speed, old, new in zip(keys, before, after, strict=True):
        if old >= 0 and new >= 0:
            weights[new, old] += speed
    rows, columns = linear_sum_assignment(weights, maximize=True)
    return float(weights[rows, columns].sum())


def check(keys: Speeds, before: Ids, after: Ids) -> Ids:
    """Relabel, and judge the result by everything that is promised."""
    renamed = relabelled(keys, before, after)
    assert (renamed[after < 0] == after[after < 0]).all()
    pairs = set(zip(after[after >= 0].tolist(), renamed[after >= 0].tolist(), strict=True))
    assert len(pairs) == len({old for old, _ in pairs}) == len({new for _, new in pairs})
    assert ((renamed[after >= 0] >= 0) & (renamed[after >= 0] < keys.shape[0])).all()
    best = most_kept(keys, before, after)
    assert kept(keys, before, renamed) == pytest.approx(best, rel=1e-12, abs=1e-12)
    assert kept(keys, before, renamed) >= kept(keys, before, after)
    return renamed


def drawn(seed: int, n: int, consumers: int, whole: bool) -> tuple[Speeds, Ids, Ids]:
    """Draw an iteration: speeds, some absent, and two unrelated assignments."""
    rng = np.random.default_rng([seed, n, consumers])
    keys = rng.integers(0, 4, n).astype(np.float64) if whole else rng.uniform(0, 100, n)
    before = rng.integers(-1, consumers, n).astype(np.int32)
    after = rng.integers(0, consumers, n).astype(np.int32)
    gone = rng.random(n) < 0.1
    keys[gone], after[gone] = ABSENT, -1
    return keys, before, after


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize(("n", "consumers"), [(1, 1), (6, 3), (30, 5), (30, 30), (200, 110)])
def test_as_many_bytes_stay_as_the_dense_solver_finds(n: int, consumers: int, whole: bool) -> None:
    """SciPy's solver is the oracle, also where integers tie."""
    for seed in range(20):
        check(*drawn(seed, n, consumers, whole))


@st.composite
def iterations(draw_from: st.DrawFn) -> tuple[Speeds, Ids, Ids]:
    """Strategy for small iterations."""
    n = draw_from(st.integers(1, 9))
    ids = st.integers(0, n - 1)
    speed = st.one_of(st.integers(0, 3).map(float), st.floats(0, 1e6, allow_subnormal=False))
    keys = np.array(draw_from(st.lists(speed, min_size=n, max_size=n)))
    before = draw_from(st.lists(st.one_of(ids, st.just(-1)), min_size=n, max_size=n))
    after = draw_from(st.lists(ids, min_size=n, max_size=n))
    return keys, np.array(before, dtype=np.int32), np.array(after, dtype=np.int32)


@given(iterations())
@example((np.zeros(3), np.array([0, 1, 2], np.int32), np.array([2, 0, 1], np.int32)))
def test_on_any_iteration(case: tuple[Speeds, Ids, Ids]) -> None:
    """Hypothesis looks for one that the kernel gets wrong."""
    check(*case)


def test_a_swap_of_names_is_undone() -> None:
    """The same groups under other names: nothing has to migrate."""
    keys = np.array([5.0, 3.0, 4.0, 2.0])
    before = np.array([0, 0, 1, 1], np.int32)
    assert relabelled(keys, before, np.array([1, 1, 0, 0], np.int32)).tolist() == [0, 0, 1, 1]


def test_the_heaviest_edge_alone_would_not_do() -> None:
    """Greedily, 5 bytes stay; the best names keep 4 + 4."""
    keys = np.array([5.0, 4.0, 4.0])
    before = np.array([0, 1, 0], np.int32)
    after = np.array([0, 0, 1], np.int32)
    assert relabelled(keys, before, after).tolist() == [1, 1, 0]


def test_names_stay_unless_that_saves_a_byte() -> None:
    """Ties: an assignment that is as good as any keeps its names."""
    keys = np.array([2.0, 2.0, 0.0])
    before = np.array([0, 1, 2], np.int32)
    after = np.array([0, 0, 1], np.int32)
    assert relabelled(keys, before, after).tolist() == [0, 0, 1]


def test_who_keeps_nothing_gets_the_lowest_free_name() -> None:
    """Consumer 3 is new and 0 is free."""
    keys = np.array([5.0, 4.0, 3.0, 1.0])
    before = np.array([1, 2, -1, -1], np.int32)
    after = np.array([2, 1, 3, 0], np.int32)
    assert relabelled(keys, before, after).tolist() == [1, 2, 3, 0]


def test_one_consumer_that_falls_into_many_is_quick() -> None:
    """All new consumers want the same old id; only one can have it."""
    n = 3000
    keys = np.random.default_rng(1).uniform(1.0, 2.0, n)
    before = np.zeros(n, np.int32)
    after = ((np.arange(n, dtype=np.int32) + 7) % n).astype(np.int32)
    renamed = relabelled(keys, before, after)
    assert renamed[int(keys.argmax())] == 0
