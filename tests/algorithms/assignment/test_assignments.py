"""Every registered algorithm equals the naive reference, assignment by assignment."""

import numpy as np
import pytest
from hypothesis import example, given

from tests import naive
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

NAMES = (*naive.NAMES, "kd_1", "kd_3", "range_2", "range_4")


def assert_matches(name: str, rates: cases.Rates, capacity: float, seed: int) -> None:
    """Compare kernel and reference, naming the first iteration where they part."""
    got = cases.assigned(cases.run(name, rates, capacity, seed))
    expected = cases.expected(name, rates, capacity, seed)
    assert len(got) == len(expected)
    for k, (ours, reference) in enumerate(zip(got, expected, strict=True)):
        assert ours == reference, (
            f"{name}, capacity {capacity}, seed {seed}, iteration {k + 1}:\n"
            f"speeds before {rates[k - 1].tolist() if k else None}\n"
            f"assigned before {expected[k - 1] if k else None}\n"
            f"speeds {rates[k].tolist()}\nexpected {reference}\ngot      {ours}"
        )


@pytest.mark.parametrize("name", NAMES)
def test_equals_the_reference_on_seeded_streams(name: str) -> None:
    """Every kind of stream, from one partition and one iteration upwards."""
    for rates, capacity, seed in cases.all_streams():
        assert_matches(name, rates, capacity, seed)


@pytest.mark.parametrize("kind", ["walk", "ties", "absences"])
@pytest.mark.parametrize("name", NAMES)
def test_equals_the_reference_at_the_size_of_the_paper(name: str, kind: str) -> None:
    """200 partitions on about 110 consumers: enough to leave every small-size shortcut behind."""
    assert_matches(name, *cases.draw(kind, (6, 200), 5), 5)


@pytest.mark.parametrize("n_partitions", [31, 32, 63, 64, 65, 127, 128, 129])
@pytest.mark.parametrize("name", NAMES)
def test_equals_the_reference_around_powers_of_two(name: str, n_partitions: int) -> None:
    """Where words of bits, blocks of sorting and levels of trees begin and end."""
    for kind in ("extremes", "oversized", "absences"):
        assert_matches(name, *cases.draw(kind, (3, n_partitions), 6), 6)


@pytest.mark.parametrize("name", NAMES)
def test_negative_zero_is_zero(name: str) -> None:
    """A trace may hold -0.0, whose bits and sign differ from those of its equal 0.0."""
    rates, capacity = cases.draw("extremes", (12, 40), 7)
    signed = np.where((rates == 0.0) & (np.arange(40) % 3 == 0), -0.0, rates)
    assert np.signbit(signed).any()
    same = cases.run(name, signed, capacity, 7)
    assert np.array_equal(same, cases.run(name, rates, capacity, 7))


@pytest.mark.parametrize("name", NAMES)
@given(stream=cases.streams())
@example(stream=(np.full((3, 2), np.nan), 10.0, 0))
@example(stream=(np.zeros((2, 5)), 10.0, 0))
@example(stream=(np.full((2, 5), 10.0), 10.0, 2**63 - 1))
def test_equals_the_reference_on_any_stream(
    name: str, stream: tuple[cases.Rates, float, int]
) -> None:
    """Hypothesis looks for a small stream on which the two differ."""
    assert_matches(name, *stream)


@pytest.mark.parametrize("name", NAMES)
def test_result_has_the_promised_form(name: str) -> None:
    """int32, C-contiguous, one cell per rate: what the Arrow side builds on."""
    rates, capacity = cases.draw("absences", (7, 5), 3)
    consumers = cases.run(name, rates, capacity, 3)
    assert consumers.dtype == np.int32
    assert consumers.shape == rates.shape
    assert consumers.flags.c_contiguous


def test_seeded_streams_hold_what_they_claim() -> None:
    """The kinds would prove nothing if they lost their ties, absences or oversized partitions."""
    integers, _ = cases.draw("ties", (25, 9), 1)
    assert all(len(set(row)) < len(row) for row in integers.tolist())
    rates, capacity = cases.draw("oversized", (25, 9), 1)
    assert (rates > capacity).mean() > 0.2
    rates, capacity = cases.draw("extremes", (25, 9), 1)
    assert set(np.unique(rates)) == {0.0, capacity / 2, capacity}
    present = ~np.isnan(cases.draw("absences", (25, 9), 1)[0])
    assert (present[1:] & ~present[:-1]).any(), "arrivals"
    assert (~present[1:] & present[:-1]).any(), "departures"
    present = ~np.isnan(cases.draw("sparse", (25, 9), 1)[0])
    assert not present.any(axis=1).all(), "an empty iteration"
