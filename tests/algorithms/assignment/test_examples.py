"""Examples small enough to be worked on paper, one for each rule of the text."""

import math

import numpy as np
import pytest

from algorithms.scores import assignment_scores
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

C = 10.0
NAN = math.nan

# A list of items as textbooks on bin packing pack them, in this order, into bins of 10.
ITEMS = [6.0, 5.0, 8.0, 2.0, 4.0, 3.0]


def second_iteration(name: str, first: list[float], second: list[float]) -> list[int]:
    """Assign two iterations and return the consumers of the second."""
    consumers: list[int] = cases.run(name, np.array([first, second]), C, 0)[1].tolist()
    return consumers


@pytest.mark.parametrize(
    ("name", "bins"),
    [
        # 6 | 5 | 8, then 2 joins 8 (the last bin, now 10), 4 opens a bin and 3 joins it.
        ("NF", [0, 1, 2, 2, 3, 3]),
        # 2 goes to the first bin (8), 4 to the second (9); 3 fits none of 8, 9, 8.
        ("FF", [0, 1, 2, 0, 1, 3]),
        # 2 goes to the fullest bin, 8; 4 to 6, fuller than 5; 3 has the 5 left.
        ("BF", [0, 1, 2, 2, 0, 1]),
        # 2 goes to the emptiest bin, 5; 4 to 6, now emptier than 7; 3 has the 7 left.
        ("WF", [0, 1, 2, 1, 0, 1]),
    ],
)
def test_textbook_list_in_the_order_of_arrival(name: str, bins: list[int]) -> None:
    """Next, first, best and worst fit pack the same list in four different ways.

    The items are laid on the partitions so that the shuffled order meets them as in the list.
    """
    order = cases.orders((1, len(ITEMS)), 11)[0]
    rates = np.zeros((1, len(ITEMS)))
    rates[0, order] = ITEMS
    assert cases.run(name, rates, C, 11)[0, order].tolist() == bins


@pytest.mark.parametrize(
    ("name", "bins"),
    [
        # Sorted: 8 | 6 | 5 4 | 3 2.
        ("NFD", [1, 2, 0, 3, 2, 3]),
        # 8 | 6 | 5, then 4 to the 6 (first that fits), 3 to the 5, 2 to the 8.
        ("FFD", [1, 2, 0, 0, 1, 2]),
        # 4 to the 6 (fuller than 5), 3 to the 5, 2 to the lower id of two bins of 8.
        ("BFD", [1, 2, 0, 0, 1, 2]),
        # 4 to the 5 (emptier than 6), 3 to the 6, 2 to the 8, emptier than both bins of 9.
        ("WFD", [1, 2, 0, 0, 2, 1]),
        # Without a last iteration, Algorithm 1 is its fit rule on the sorted list.
        ("MWF", [1, 2, 0, 0, 2, 1]),
        ("MWFP", [1, 2, 0, 0, 2, 1]),
        ("MBF", [1, 2, 0, 0, 1, 2]),
        ("MBFP", [1, 2, 0, 0, 1, 2]),
    ],
)
def test_textbook_list_largest_first(name: str, bins: list[int]) -> None:
    """The same list sorted: 8, 6, 5, 4, 3, 2. First and best fit now need three bins."""
    assert cases.run(name, np.array([ITEMS]), C, 11)[0].tolist() == bins


@pytest.mark.parametrize(("name", "last"), [("FFD", 0), ("BFD", 1), ("WFD", 0), ("NFD", 0)])
def test_bins_are_scanned_by_id_not_by_creation(name: str, last: int) -> None:
    """Partition 1 takes consumer 0, then the order of speeds is reversed.

    Second iteration: 0 (8) opens its consumer 1, then 1 (7) opens its consumer 0. The arriving 2
    fits both. First fit takes the lower id, though it was opened later; best fit takes the 8;
    worst fit the 7; next fit the one opened last, which is consumer 0.
    """
    assert second_iteration(name, [7.0, 8.0, NAN], [8.0, 7.0, 2.0]) == [1, 0, last]


@pytest.mark.parametrize("name", ["FFD", "BFD", "WFD", "MWF", "MBF"])
def test_equal_loads_go_to_the_lowest_id(name: str) -> None:
    """Three consumers of 8, one partition of 2."""
    consumers = cases.run(name, np.array([[8.0, 8.0, 8.0, 2.0]]), C, 0)
    assert consumers[0].tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("name", cases.DECREASING)
def test_a_taken_last_consumer_is_not_opened_twice(name: str) -> None:
    """Partition 3 arrives as the largest, takes consumer 0, and all others move up by one.

    0 finds its last consumer open and opens the lowest closed, 1; so it goes on.
    """
    rates = np.array([[9.0, 8.0, 7.0, NAN], [9.0, 8.0, 7.0, 10.0]])
    consumers = cases.run(name, rates, C, 0)
    assert consumers.tolist() == [[0, 1, 2, -1], [1, 2, 3, 0]]
    assert assignment_scores.rscore(rates, consumers, C).tolist() == [0.0, 2.4]


@pytest.mark.parametrize("name", cases.MODIFIED)
def test_algorithm_1_keeps_everybody_in_place(name: str) -> None:
    """The same arrival: last iteration's consumers are served first, so nothing migrates."""
    rates = np.array([[9.0, 8.0, 7.0, NAN], [9.0, 8.0, 7.0, 10.0]])
    assert cases.run(name, rates, C, 0).tolist() == [[0, 1, 2, -1], [0, 1, 2, 3]]


@pytest.mark.parametrize(
    ("name", "bins"),
    [("MWF", [0, 1, 1, 0]), ("MWFP", [0, 1, 1, 0]), ("MBF", [0, 1, 0, 1]), ("MBFP", [0, 1, 0, 1])],
)
def test_algorithm_1_dissolves_a_consumer_by_its_fit_rule(name: str, bins: list[int]) -> None:
    """Where worst and best fit part.

    First iteration, largest first: 9 | 8 | 7 3, so the groups are {0}, {1}, {2, 3}. Second: their
    loads are 7, 6, 5, and so are visited in this order. Consumers 0 and 1 are opened again, for 6
    does not fit with 7. Consumer 2 offers its smallest, partition 2 (2): worst fit puts it on
    the 6 (now 8) and then 3 (3) on the 7; best fit puts it on the 7 (now 9) and then 3 on the 6.
    """
    assert second_iteration(name, [9.0, 8.0, 7.0, 3.0], [7.0, 6.0, 2.0, 3.0]) == bins


@pytest.mark.parametrize(
    ("name", "bins"),
    [("MWF", [1, 1, 0]), ("MBF", [1, 1, 0]), ("MWFP", [0, 1, 0]), ("MBFP", [0, 1, 0])],
)
def test_algorithm_1_visits_the_heaviest_consumer_first(name: str, bins: list[int]) -> None:
    """Heaviest by load for MWF and MBF, by the largest partition for MWFP and MBFP.

    First iteration: 6 | 5 5, so the groups are {2}, {0, 1}. Second: loads 5 and 6, largest
    partitions 5 and 3. By load, consumer 1 goes first and keeps 3 + 3; the 5 fits nowhere and
    keeps consumer 0. By largest partition, consumer 0 goes first with its 5; then 0 (3) joins it
    (8) and 1 (3) fits nowhere and keeps consumer 1.
    """
    assert second_iteration(name, [5.0, 5.0, 6.0], [3.0, 3.0, 5.0]) == bins


@pytest.mark.parametrize(
    ("name", "bins"),
    [("MWF", [0, 1, 1]), ("MWFP", [0, 1, 1]), ("MBF", [0, 1, 0]), ("MBFP", [0, 1, 0])],
)
def test_algorithm_1_splits_an_overloaded_consumer(name: str, bins: list[int]) -> None:
    """The first misfit of a consumer, and all after it, wait until all consumers are visited.

    First iteration: 3 3 3 on one consumer. Second: 6, 5, 4. Consumer 0 takes 6; 5 does not fit,
    so 4 is not tried although it would. Both are placed last: 5 opens consumer 1 (its last one is
    open), 4 goes to the 5 by worst fit, to the 6 by best fit.
    """
    assert second_iteration(name, [3.0, 3.0, 3.0], [6.0, 5.0, 4.0]) == bins


def test_algorithm_1_stops_offering_at_the_first_misfit() -> None:
    """Equal partitions are offered by index; the consumer opens with the largest that is left.

    First iteration: 8 | 3 3 2, groups {0}, {1, 2, 3}. Second: consumer 0 (load 7) goes first.
    Consumer 1 holds 1, 1 and 4: both 1s join the 7 (9), the 4 fits nowhere and stays.
    """
    first, second = [8.0, 3.0, 3.0, 2.0], [7.0, 1.0, 4.0, 1.0]
    for name in cases.MODIFIED:
        assert second_iteration(name, first, second) == [0, 0, 1, 0]


@pytest.mark.parametrize("name", [*cases.ONLINE, *cases.DECREASING, *cases.MODIFIED])
def test_a_partition_above_the_capacity_is_alone(name: str) -> None:
    """Not even an idle partition joins it: load + 0 is still above the capacity."""
    consumers = cases.run(name, np.array([[12.0, 0.0, 11.0]]), C, 3)[0].tolist()
    assert sorted(consumers) == [0, 1, 2]


@pytest.mark.parametrize("name", [*cases.ONLINE, *cases.DECREASING, *cases.MODIFIED])
def test_a_consumer_may_be_exactly_full(name: str) -> None:
    """load + s <= C, not <."""
    assert set(cases.run(name, np.array([[5.0, 5.0, 0.0]]), C, 3)[0].tolist()) == {0}


@pytest.mark.parametrize("name", cases.MODIFIED)
def test_a_consumer_whose_partitions_all_departed_is_closed(name: str) -> None:
    """Its id is free again for what arrives: the groups are {0}, {1}, {2}, and 1 departs."""
    first, second = [9.0, 8.0, 7.0, NAN, NAN], [9.0, NAN, 7.0, 8.0, 6.0]
    assert second_iteration(name, first, second) == [0, -1, 2, 1, 3]


@pytest.mark.parametrize("name", [*cases.DECREASING, *cases.MODIFIED])
def test_only_the_iteration_before_is_remembered(name: str) -> None:
    """A partition that was away for one iteration comes back as a new one.

    Partition 1 held consumer 1; after its absence it is the largest and opens the lowest closed
    id. That is 0 for the sorted algorithms, which start from nothing, and 1 for Algorithm 1,
    which has opened consumer 0 for partition 0 by then.
    """
    rates = np.array([[9.0, 8.0], [9.0, NAN], [9.0, 10.0]])
    consumers = cases.run(name, rates, C, 0)
    expected = [0, 1] if name in cases.MODIFIED else [1, 0]
    assert consumers.tolist() == [[0, 1], [0, -1], expected]


def test_static_assignment_worked_by_hand() -> None:
    """Consumers 0 and 1 take turns in partition order; speeds do not matter, gaps stay."""
    rates = np.array([[99.0, 99.0, 99.0, NAN], [NAN, 1.0, 1.0, 1.0]])
    assert cases.run("kd_2", rates, C, 0).tolist() == [[0, 1, 0, -1], [-1, 1, 0, 1]]
