"""Sticky repair: what holds at any price on any stream, and what prices are for."""

import math

import numpy as np
import pytest
from hypothesis import example, given, settings

from algorithms.scores import assignment_scores
from algorithms.workloads import random_walk
from tests.algorithms.assignment import cases
from tests.algorithms.assignment.test_invariants import is_complete, is_feasible

pytestmark = pytest.mark.unit

PRICES = ("0", "0.7", "3", "inf")
NAMES = tuple(f"SR_{price}" for price in PRICES)


def check(name: str, rates: cases.Rates, capacity: float, seed: int) -> None:
    """Everything that is promised of one stream."""
    consumers = cases.run(name, rates, capacity, seed)
    assert is_complete(rates, consumers)
    assert is_feasible(rates, consumers, capacity)
    assert not any(assignment_scores.audit(rates, consumers, capacity))
    if name == "SR_inf":
        for other in ("BFD", "FFD"):
            packed = assignment_scores.n_consumers(cases.run(other, rates, capacity, seed))
            assert (assignment_scores.n_consumers(consumers) <= packed).all()


@pytest.mark.parametrize("kind", cases.KINDS)
@pytest.mark.parametrize("name", NAMES)
def test_promises_on_seeded_streams(name: str, kind: str) -> None:
    """Every kind of stream: ties, idle and oversized partitions, arrivals and departures."""
    for rates, capacity, seed in cases.streams_of(kind):
        check(name, rates, capacity, seed)


@pytest.mark.parametrize("kind", ["walk", "ties", "oversized", "absences", "extremes"])
@pytest.mark.parametrize("name", NAMES)
def test_promises_at_the_size_of_the_paper(name: str, kind: str) -> None:
    """200 partitions, which search every structure in earnest."""
    check(name, *cases.draw(kind, (12, 200), 5), 5)


@pytest.mark.parametrize("name", NAMES)
@given(stream=cases.streams())
@example(stream=(np.full((3, 2), np.nan), 10.0, 0))
@example(stream=(np.zeros((2, 5)), 10.0, 0))
@example(stream=(np.full((2, 5), 10.0), 10.0, 2**63 - 1))
@settings(deadline=None)
def test_promises_on_any_stream(name: str, stream: tuple[cases.Rates, float, int]) -> None:
    """Hypothesis looks for a stream on which one is broken."""
    check(name, *stream)


@pytest.mark.parametrize("kind", ["walk", "ties", "oversized", "decimals"])
@pytest.mark.parametrize("name", NAMES)
def test_constant_speeds_come_to_rest(name: str, kind: str) -> None:
    """Nothing overflows, so after a while nothing has to move; sums are rounded, too."""
    rates, capacity = cases.draw(kind, (1, 30), 4)
    consumers = cases.run(name, np.repeat(rates, 12, axis=0), capacity, 4)
    assert (consumers[6:] == consumers[6]).all()


@pytest.mark.parametrize("start", [None, 0.0, 50.0, 100.0])
def test_a_higher_price_buys_fewer_consumers(start: float | None) -> None:
    """The family goes along the front from one end to the other, in the mean of three streams."""
    seeds = (11, 12, 13)
    walks = [random_walk.generate(100, 150, 10.0, 100.0, start, seed) for seed in seeds]
    means = []
    for price in ("0", "0.4", "1", "3", "inf"):
        assigned = [cases.run(f"SR_{price}", rates, 100.0, 0) for rates in walks]
        used = [assignment_scores.n_consumers(consumers).mean() for consumers in assigned]
        pairs = zip(walks, assigned, strict=True)
        moved = [
            assignment_scores.rscore(rates, consumers, 100.0).mean() for rates, consumers in pairs
        ]
        means.append((np.mean(used), np.mean(moved)))
    consumers_used, moved_bytes = zip(*means, strict=True)
    assert sorted(consumers_used, reverse=True) == list(consumers_used)
    assert sorted(moved_bytes) == list(moved_bytes)


@pytest.mark.parametrize(("name", "beaten"), [("SR_inf", "BFD"), ("SR_1", "MWF"), ("SR_3", "MBF")])
def test_better_in_both_objectives(name: str, beaten: str) -> None:
    """The claim that the family is made for, on a short stream of the paper's size."""
    rates = random_walk.generate(200, 120, 15.0, 100.0, None, seed=5)
    ours, theirs = (cases.run(one, rates, 100.0, 5) for one in (name, beaten))
    assert (
        assignment_scores.n_consumers(ours).mean() <= assignment_scores.n_consumers(theirs).mean()
    )
    moved = [assignment_scores.rscore(rates, one, 100.0).mean() for one in (ours, theirs)]
    assert moved[0] < moved[1]


def test_an_overloaded_consumer_gives_away_the_least() -> None:
    """Of 7, 4 and 1 above 10, 4 goes rather than 7; with 2 too much, 1 would not be enough."""
    rates = np.array([[5.0, 4.0, 1.0], [7.0, 4.0, 1.0]])
    consumers = cases.run("SR_1", rates, 10.0, 0)
    assert consumers[0].tolist() == [0, 0, 0]
    assert consumers[1, 0] == consumers[1, 2] == 0
    assert consumers[1, 1] != 0


@pytest.mark.parametrize("rest", [15.0, 130.0])
@pytest.mark.parametrize("outgrown", [150.0, 1e9, 1e14, 1e18])
@pytest.mark.parametrize("price", [*PRICES, "0.5"])
def test_a_partition_that_outgrows_many_others_leaves_their_load_known(
    price: str, outgrown: float, rest: float
) -> None:
    """Their sum is lost in the rounding of a load with it, whether they fit or not.

    The arrivals would fill a consumer that seems to be empty.
    """
    rates = np.full((2, 2020), np.nan)
    rates[0, :2000] = 0.0075
    rates[1, :2000] = rest / 2000
    rates[1, 0] = outgrown
    rates[1, 2000:] = 4.9
    check(f"SR_{price}", rates, 100.0, 0)


def test_a_partition_above_the_capacity_is_alone() -> None:
    """It outgrows its consumer, which the other one leaves, as the smaller of the two."""
    rates = np.array([[5.0, 4.0], [15.0, 4.0], [16.0, 5.0]])
    for name in NAMES:
        consumers = cases.run(name, rates, 10.0, 0)
        assert consumers.tolist() == [[0, 0], [0, 1], [0, 1]]


def test_arrivals_cost_nothing() -> None:
    """A partition that arrives is no migration, wherever it goes."""
    rates = np.array([[6.0, math.nan], [6.0, 3.0]])
    consumers = cases.run("SR_1", rates, 10.0, 0)
    assert assignment_scores.rscore(rates, consumers, 10.0).tolist() == [0.0, 0.0]
    assert consumers[1].tolist() == [0, 0]
