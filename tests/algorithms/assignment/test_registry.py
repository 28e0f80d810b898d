"""The one list of algorithms: names, families, `kd_n`, and what happens to wrong names."""

import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pytest

from algorithms.assignment import registry
from algorithms.core import input_errors
from tests import naive
from tests.algorithms.assignment import cases, goldens

pytestmark = pytest.mark.unit

PAPER = ("NF", "NFD", "FF", "FFD", "BF", "BFD", "WF", "WFD", "MWF", "MBF", "MWFP", "MBFP")


def test_names_come_in_the_order_of_the_paper() -> None:
    """Tables and reports show them in this order."""
    assert registry.names()[:12] == PAPER


def test_the_reference_set_is_the_papers_twelve() -> None:
    """CBS refers to these, whichever algorithms are added later."""
    assert registry.reference_set() == PAPER
    assert all(registry.get(name).reference for name in PAPER)
    assert not registry.get("kd_3").reference


def test_every_algorithm_has_a_counterpart_and_pinned_values() -> None:
    """A new algorithm needs a naive reference and a golden; a removed one leaves none behind."""
    names = set(registry.names())
    wrong = {
        "tests/naive.py: NAMES and _assign_iteration": names ^ set(naive.NAMES),
        "goldens.py: EXPECTED": {*names, *goldens.STATIC} ^ set(goldens.EXPECTED),
    }
    assert not any(wrong.values()), f"names that are not in both: {wrong}"


@pytest.mark.parametrize("name", [*PAPER, "kd_1", "kd_32"])
def test_entries_describe_themselves(name: str) -> None:
    """Documentation and figures are drawn from these fields."""
    entry = registry.get(name)
    assert entry.name == name
    assert entry.family
    assert entry.title
    assert entry.paper
    assert entry.decreasing == (name in cases.DECREASING or name in cases.MODIFIED)


def test_titles_are_for_people() -> None:
    """Legends show them."""
    assert registry.get("kd_1").title.endswith("1 consumer")
    assert registry.get("kd_2").title.endswith("2 consumers")
    assert len({registry.get(name).title for name in PAPER}) == 12


def test_entries_of_one_family_belong_together() -> None:
    """The family distinguishes Algorithm 1 and its variants from the classic ones."""
    families = {name: registry.get(name).family for name in (*PAPER, "kd_2")}
    modified = {families[name] for name in cases.MODIFIED}
    assert modified.isdisjoint(families[name] for name in PAPER if name not in cases.MODIFIED)
    assert families["kd_2"] not in {families[name] for name in PAPER}


def test_entries_cannot_be_changed() -> None:
    """The registry is shared by everything in the process."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        registry.get("MWF").name = "mine"  # type: ignore[misc]


@pytest.mark.parametrize("name", ["XF", "", "mwf", "MWF ", "kd", "kd_", "kd_x", "kd_1.5", "KD_1"])
def test_an_unknown_name_lists_the_known_ones(name: str) -> None:
    """The message is all that a user of the command line sees."""
    with pytest.raises(input_errors.UnknownAlgorithmError) as caught:
        registry.get(name)
    message = str(caught.value)
    assert repr(name) in message
    assert all(algorithm in message for algorithm in PAPER)
    assert "kd_" in message.replace(repr(name), "")


@pytest.mark.parametrize(
    "name", ["kd_0", "kd_01", "kd_-1", "kd_+1", "kd_1_0", "kd_ 1", "kd_\u0661"]
)
def test_a_wrong_number_of_consumers_is_refused(name: str) -> None:
    """At least one consumer, and one spelling per algorithm: names are keys of tables."""
    with pytest.raises(input_errors.AlgorithmError, match="kd_"):
        registry.get(name)
    with pytest.raises(input_errors.AlgorithmError):
        registry.kafka_static(0)


def test_more_consumers_than_partitions_are_refused() -> None:
    """Some would never hold anything; the name is valid, so only the assignment can refuse it."""
    rates = np.ones((2, 3))
    assert registry.get("kd_3").assign(rates, 10.0, 0).tolist() == [[0, 1, 2]] * 2
    with pytest.raises(input_errors.InvalidParameterError, match=r"kd_n must .* 1 and 3 .*4"):
        registry.get("kd_4").assign(rates, 10.0, 0)


@pytest.mark.parametrize("n", [1, 2, 9, 10, 100])
def test_static_names_carry_their_parameter(n: int) -> None:
    """`kd_n` need not be registered one by one."""
    assert registry.kafka_static(n).name == f"kd_{n}"
    assert registry.get(f"kd_{n}").name == f"kd_{n}"
    assert registry.parameter_of(f"kd_{n}") == n


def test_other_names_carry_no_parameter() -> None:
    """Only `kd_n` has one."""
    assert [registry.parameter_of(name) for name in PAPER] == [None] * 12


def test_static_group_assigns_by_index() -> None:
    """Partition i goes to consumer i mod n."""
    consumers = registry.kafka_static(3).assign(np.ones((2, 7)), 10.0, 0)
    assert consumers.tolist() == [[0, 1, 2, 0, 1, 2, 0]] * 2


def test_display_order() -> None:
    """The paper's order first, then static groups by their number, not by their spelling."""
    shuffled = ["kd_10", "MBFP", "kd_9", "NF", "BFD", "kd_1", "FF"]
    ordered = ["NF", "FF", "BFD", "MBFP", "kd_1", "kd_9", "kd_10"]
    assert sorted(shuffled, key=registry.sort_key) == ordered


def test_registering_a_name_twice_raises() -> None:
    """The second would silently replace the first in every table."""
    with pytest.raises(input_errors.AlgorithmError, match="MWF"):
        registry.register(registry.get("MWF"))
    assert registry.names()[:12] == PAPER


def test_patterns_mention_every_name() -> None:
    """Messages and documentation show this text."""
    patterns = registry.known_patterns()
    assert patterns[:12] == PAPER
    assert any(pattern.startswith("kd_n") for pattern in patterns)


def test_the_list_is_read_without_importing_a_kernel() -> None:
    """Numba takes seconds to import, and most callers want names and titles only."""
    script = (
        "import sys\n"
        "from algorithms.assignment import registry\n"
        "assert registry.get('MBFP').title and registry.get('kd_7').title\n"
        "assert 'numba' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", [*PAPER, "kd_2"])
def test_entries_can_be_sent_to_other_processes(name: str) -> None:
    """What arrives is equal, and assigns alike."""
    entry = registry.get(name)
    sent = pickle.loads(pickle.dumps(entry))
    assert sent == entry
    assert hash(sent) == hash(entry)
    rates, capacity = cases.draw("ties", (3, 5), 1)
    assert np.array_equal(sent.assign(rates, capacity, 1), entry.assign(rates, capacity, 1))
