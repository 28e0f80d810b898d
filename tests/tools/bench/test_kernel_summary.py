"""Exponents and the printed table, from numbers made up here."""

import pytest

from tools.bench import kernel_summary
from tools.bench.kernel_summary import KernelTime

pytestmark = pytest.mark.unit

ROWS = [
    KernelTime("NF", 200, 5.0),
    KernelTime("NF", 1_000, 20.0),
    KernelTime("NF", 100_000, 2_000.0),
    KernelTime("BFD", 200, 25.0),
    KernelTime("BFD", 1_000, 100.0),
    KernelTime("BFD", 100_000, 1_000_000.0),
]


@pytest.mark.parametrize("power", [0.0, 1.0, 1.25, 2.0])
def test_a_power_law_gives_its_exponent(power):
    points = [(size, 3.0 * size**power) for size in (1_000, 10_000, 100_000)]
    assert kernel_summary.exponent(points) == pytest.approx(power)


def test_the_fit_is_one_of_least_squares():
    """Logarithms 0, 3, 0 at 0, 1, 2: the middle one lifts the line and does not turn it."""
    assert kernel_summary.exponent([(1, 1.0), (10, 1000.0), (100, 1.0)]) == pytest.approx(0.0)
    assert kernel_summary.exponent([(1, 1.0), (10, 1.0), (100, 100.0)]) == pytest.approx(1.0)


def test_exponents_are_fitted_between_two_sizes():
    """The time at 200 partitions, which a scan decides, would bend the line."""
    fitted = kernel_summary.exponents(ROWS, 1_000, 100_000)
    assert fitted == pytest.approx({"NF": 1.0, "BFD": 2.0})


def test_the_table_has_a_line_per_algorithm_and_a_column_per_size():
    lines = kernel_summary.table(ROWS, {"NF": 1.0, "BFD": 2.0}).splitlines()
    assert lines[0].split() == ["P", "=", "200", "P", "=", "1,000", "P", "=", "100,000", "exponent"]
    assert lines[1].split() == ["NF", "5.0", "20.0", "2,000.0", "1.00"]
    assert lines[2].split() == ["BFD", "25.0", "100.0", "1,000,000.0", "2.00"]
    assert len({len(line) for line in lines}) == 1


def test_the_table_leaves_open_what_was_not_measured():
    lines = kernel_summary.table(ROWS[:4], {"NF": 1.0, "BFD": 2.0}).splitlines()
    assert lines[2].split() == ["BFD", "25.0", "2.00"]
