"""One call per stream and algorithm, and the minimum that CBS refers to."""

import numpy as np
import pytest

from algorithms.assignment import registry
from algorithms.core import input_errors
from algorithms.scores import assignment_scores, sweep
from tests import naive
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("name", [*registry.names(), "kd_4"])
def test_run_gathers_assignment_and_metrics(name: str) -> None:
    """The parts are those of the registry and the metrics, for the same stream."""
    rates, capacity = cases.draw("absences", (15, 9), 1)
    result = sweep.run(name, rates, capacity, 1)
    assert np.array_equal(result.consumers, cases.run(name, rates, capacity, 1))
    assert np.array_equal(result.n_consumers, assignment_scores.n_consumers(result.consumers))
    assert np.array_equal(result.n_migrations, assignment_scores.n_migrations(result.consumers))
    assert np.array_equal(
        result.rscore, assignment_scores.rscore(rates, result.consumers, capacity)
    )


def test_run_refuses_an_unknown_algorithm() -> None:
    """The same error as that of the registry."""
    with pytest.raises(input_errors.UnknownAlgorithmError):
        sweep.run("XF", np.ones((1, 1)), 10.0, 0)


@pytest.mark.parametrize("kind", cases.KINDS)
def test_reference_minimum_equals_the_reference(kind: str) -> None:
    """The fewest consumers of the paper's twelve, iteration by iteration."""
    for rates, capacity, seed in cases.streams_of(kind):
        shape = (rates.shape[0], rates.shape[1])
        got = sweep.reference_minimum(rates, capacity, seed, {})
        expected = naive.fewest_consumers(cases.rows(rates), capacity, cases.orders(shape, seed))
        assert got.tolist() == expected
        assert got.dtype == np.int32


def test_reference_minimum_does_not_depend_on_what_is_known() -> None:
    """Algorithms that ran already are not run again, and make no difference."""
    rates, capacity = cases.draw("walk", (15, 9), 2)
    alone = sweep.reference_minimum(rates, capacity, 2, {})
    n_consumers = {
        name: sweep.run(name, rates, capacity, 2).n_consumers for name in ("NF", "BFD", "MWFP")
    }
    assert np.array_equal(sweep.reference_minimum(rates, capacity, 2, n_consumers), alone)
    everything = {
        name: sweep.run(name, rates, capacity, 2).n_consumers for name in registry.reference_set()
    }
    assert np.array_equal(sweep.reference_minimum(rates, capacity, 2, everything), alone)


def test_reference_minimum_trusts_what_is_known() -> None:
    """Counts handed in are used, not computed again: an impossible 0 shows up."""
    rates, capacity = cases.draw("walk", (4, 9), 3)
    n_consumers = {"BFD": np.zeros(4, dtype=np.int32)}
    assert sweep.reference_minimum(rates, capacity, 3, n_consumers).tolist() == [0, 0, 0, 0]


def test_reference_minimum_ignores_algorithms_outside_the_reference_set() -> None:
    """A static group of one consumer is below everyone, and is not among the twelve."""
    rates, capacity = cases.draw("walk", (15, 9), 4)
    n_consumers = {"kd_1": sweep.run("kd_1", rates, capacity, 4).n_consumers}
    minimum = sweep.reference_minimum(rates, capacity, 4, n_consumers)
    assert minimum.min() > 1
    assert np.array_equal(minimum, sweep.reference_minimum(rates, capacity, 4, {}))


def test_reference_minimum_leaves_its_argument_alone() -> None:
    """What is known belongs to the caller."""
    rates, capacity = cases.draw("walk", (4, 9), 5)
    n_consumers = {"NF": sweep.run("NF", rates, capacity, 5).n_consumers}
    before = n_consumers["NF"].copy()
    sweep.reference_minimum(rates, capacity, 5, n_consumers)
    assert list(n_consumers) == ["NF"]
    assert np.array_equal(n_consumers["NF"], before)


def test_cbs_of_a_stream_equals_the_reference() -> None:
    """Kernel, sweep and metric together, for all algorithms."""
    rates, capacity = cases.draw("walk", (25, 12), 6)
    minimum = sweep.reference_minimum(rates, capacity, 6, {})
    orders = cases.orders((25, 12), 6)
    fewest = naive.fewest_consumers(cases.rows(rates), capacity, orders)
    for name in (*registry.names(), "kd_5"):
        counts = [naive.consumers_used(a) for a in cases.expected(name, rates, capacity, 6)]
        got = assignment_scores.cbs(sweep.run(name, rates, capacity, 6).n_consumers, minimum)
        assert got == pytest.approx(naive.cbs(counts, fewest), abs=1e-15)


def test_cbs_of_the_reference_set_is_never_negative() -> None:
    """Only algorithms outside of it can be below the minimum of the twelve."""
    rates, capacity = cases.draw("walk", (25, 12), 7)
    minimum = sweep.reference_minimum(rates, capacity, 7, {})
    for name in registry.reference_set():
        assert (
            assignment_scores.cbs(sweep.run(name, rates, capacity, 7).n_consumers, minimum) >= 0.0
        )
    assert assignment_scores.cbs(sweep.run("kd_1", rates, capacity, 7).n_consumers, minimum) < 0.0
