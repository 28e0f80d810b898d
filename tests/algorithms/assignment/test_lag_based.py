"""KIP-169 over several topics, and the lag that it reads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from algorithms.assignment import assignors
from algorithms.core.input_errors import InvalidParameterError

pytestmark = pytest.mark.unit

Lags = dict[str, dict[int, int]]
Subscriptions = dict[str, list[str]]
Assignment = dict[str, list[tuple[str, int]]]

TOPICS = ("a", "b", "c", "unread")


def plain(lags: Lags, subscriptions: Subscriptions) -> Assignment:
    """Topic by topic, partition by partition, by looking at every subscriber each time."""
    assignment: Assignment = {member: [] for member in subscriptions}
    for topic in sorted(lags):
        readers = [member for member, topics in subscriptions.items() if topic in topics]
        of_topic: dict[str, list[int]] = {member: [] for member in readers}
        for partition in sorted(lags[topic], key=lambda p: (-lags[topic][p], p)):
            if readers:
                member = min(
                    readers,
                    key=lambda m: (len(of_topic[m]), sum(lags[topic][p] for p in of_topic[m]), m),
                )
                of_topic[member].append(partition)
                assignment[member].append((topic, partition))
    return assignment


@st.composite
def applications(draw: st.DrawFn) -> tuple[Lags, Subscriptions]:
    """Strategy for groups that read up to three topics, with partitions and lags of any kind."""
    by_partition = st.dictionaries(st.integers(0, 12), st.integers(0, 4), max_size=8)
    lags = draw(st.dictionaries(st.sampled_from(TOPICS), by_partition))
    topics = st.lists(st.sampled_from((*TOPICS[:3], "without lags")), max_size=5)
    member = st.sampled_from(("1", "2", "10", "consumer-b", "consumer-a", "Z"))
    return lags, draw(st.dictionaries(member, topics, min_size=1))


@given(applications())
def test_the_plain_implementation_agrees(case: tuple[Lags, Subscriptions]) -> None:
    assert assignors.lag_based(*case) == plain(*case)


@given(applications())
def test_every_partition_of_a_topic_that_is_read_has_one_owner(
    case: tuple[Lags, Subscriptions],
) -> None:
    lags, subscriptions = case
    assignment = assignors.lag_based(lags, subscriptions)
    owned = [pair for pairs in assignment.values() for pair in pairs]
    read = {topic for topics in subscriptions.values() for topic in topics}
    assert sorted(owned) == sorted((t, p) for t in lags if t in read for p in lags[t])
    for member, pairs in assignment.items():
        assert {topic for topic, _ in pairs} <= set(subscriptions[member])


@given(applications())
def test_subscribers_of_a_topic_get_equal_shares_of_it(case: tuple[Lags, Subscriptions]) -> None:
    lags, subscriptions = case
    assignment = assignors.lag_based(lags, subscriptions)
    for topic in lags:
        readers = [member for member, topics in subscriptions.items() if topic in topics]
        shares = [sum(t == topic for t, _ in assignment[member]) for member in readers]
        assert not shares or max(shares) - min(shares) <= 1


@given(applications())
def test_one_topic_is_assigned_as_by_the_kernel(case: tuple[Lags, Subscriptions]) -> None:
    lags, _ = case
    for by_partition in lags.values():
        values = list(by_partition.values())
        if values:
            owners = assignors.assign("kip169", len(values), [1, 2, 10], [-1] * len(values), values)
            of_topic = {"a": dict(enumerate(values))}
            assignment = assignors.lag_based(
                of_topic, {member: ["a"] for member in ("1", "2", "10")}
            )
            expected = {p: int(m) for m, pairs in assignment.items() for _, p in pairs}
            assert dict(enumerate(owners.tolist())) == expected


def test_example_of_the_published_implementation() -> None:
    """Two topics, of which the second member reads one: topics do not balance each other."""
    lags = {"t1": {0: 100_000, 1: 100_000, 2: 500, 3: 1}, "t2": {0: 900_000, 1: 100_000}}
    assignment = assignors.lag_based(lags, {"c-1": ["t1", "t2"], "c-2": ["t1"]})
    assert assignment == {
        "c-1": [("t1", 0), ("t1", 2), ("t2", 0), ("t2", 1)],
        "c-2": [("t1", 1), ("t1", 3)],
    }


def test_lags_of_any_size_are_compared_exactly() -> None:
    """In doubles, 2**60 + 1 and 2**60 would be a tie."""
    lags = {"t": {0: 2**60, 1: 2**60 + 1}}
    assert assignors.lag_based(lags, {"a": ["t"], "b": ["t"]}) == {"a": [("t", 1)], "b": [("t", 0)]}


def test_members_are_listed_by_id_and_partitions_as_they_are_given() -> None:
    lags = {"z": {0: 1, 1: 9, 2: 5}, "y": {0: 3}}
    assignment = assignors.lag_based(lags, {"b": ["z"], "a": ["z", "y", "z"], "c": []})
    assert list(assignment.items()) == [
        ("a", [("y", 0), ("z", 1)]),
        ("b", [("z", 2), ("z", 0)]),
        ("c", []),
    ]


@pytest.mark.parametrize(
    ("committed", "begin", "end", "reset", "expected"),
    [
        (5_555, 1_111, 9_999, "none", 4_444),
        (5_555, 1_111, 9_999, "latest", 4_444),
        (0, 0, 7, "latest", 7),
        (None, 1_111, 9_999, "latest", 0),
        (None, 1_111, 9_999, "LaTeSt", 0),
        (None, 1_111, 9_999, "earliest", 8_888),
        (None, 1_111, 9_999, "none", 8_888),
        (5_555, 0, 0, "none", 0),
        (None, 8, 3, "earliest", 0),
    ],
)
def test_lag_follows_from_offsets(
    committed: int | None, begin: int, end: int, reset: str, expected: int
) -> None:
    assert assignors.lag(committed, begin, end, reset) == expected


@pytest.mark.parametrize(
    ("lags", "subscriptions", "message"),
    [
        ({}, {}, "subscriptions must hold at least one member"),
        ({}, {1: ["t"]}, r"member ids of subscriptions must be text \(got 1\)"),
        ({}, {"a": "t"}, r"subscriptions\['a'\] must be a list of topics \(got 't'\)"),
        ({}, {"a": [3]}, r"topics of subscriptions\['a'\] must be text \(got 3\)"),
        ({"t": {0: -1}}, {"a": ["t"]}, r"lags\['t'\]\[0\] must be .* at least 0 .*got -1"),
        ({"t": {0: float("nan")}}, {"a": ["t"]}, r"lags\['t'\]\[0\] must be finite .*got nan"),
        ({"t": {0: float("inf")}}, {"a": ["t"]}, r"lags\['t'\]\[0\] must be finite .*got inf"),
        ({"t": {0: "1"}}, {"a": ["t"]}, r"lags\['t'\]\[0\] must be finite .*got '1'"),
        ({"t": {0: True}}, {"a": ["t"]}, r"lags\['t'\]\[0\] must be finite .*got True"),
        ({"t": {-1: 1}}, {"a": ["t"]}, r"partitions of lags\['t'\] must be .*got -1"),
        ({"t": {"0": 1}}, {"a": ["t"]}, r"partitions of lags\['t'\] must be .*got '0'"),
    ],
)
def test_wrong_applications_are_refused(
    lags: Mapping[str, Mapping[int, float]],
    subscriptions: Mapping[str, Sequence[str]],
    message: str,
) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        assignors.lag_based(lags, subscriptions)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((-1, 0, 1, "latest"), r"committed must be an integer of at least 0 \(got -1\)"),
        ((None, -2, 1, "latest"), r"begin must be .*got -2"),
        ((None, 0, -3, "latest"), r"end must be .*got -3"),
        ((1.5, 0, 3, "latest"), r"committed must be .*got 1\.5"),
        ((None, 0, True, "latest"), r"end must be .*got True"),
        ((None, 0, 3, None), r"reset must be text .*got None"),
    ],
)
def test_wrong_offsets_are_refused(arguments: tuple[int, int, int, str], message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        assignors.lag(*arguments)
