"""Names with a price or with passes: one spelling each, and a message for any other."""

import math
import pickle

import pytest

from algorithms.assignment import parametric_names, registry
from algorithms.core import input_errors
from tests.algorithms.assignment import cases

pytestmark = pytest.mark.unit

PRICES = [
    (0.0, "SR_0"),
    (-0.0, "SR_0"),
    (0.7, "SR_0.7"),
    (1.5, "SR_1.5"),
    (0.125, "SR_0.125"),
    (2, "SR_2"),
    (10, "SR_10"),
    (9999.999, "SR_9999.999"),
    (math.inf, "SR_inf"),
]


@pytest.mark.parametrize(("price", "name"), PRICES)
def test_prices_have_one_name(price: float, name: str) -> None:
    """There and back: names are keys of tables."""
    entry = registry.sticky_repair(price)
    assert entry.name == name
    assert registry.get(name) == entry
    assert parametric_names.price_of(name) == price
    assert parametric_names.sticky_repair(parametric_names.price_of(name) or 0.0).name == name


@pytest.mark.parametrize(
    "name",
    [
        *("SR_", "SR_0.70", "SR_.7", "SR_00", "SR_01", "SR_1.0", "SR_0.1234", "SR_0,7"),
        *("SR_-1", "SR_+1", "SR_nan", "SR_1e3", "SR_Inf", "SR_10000", "SR_\u0661", "SR_x"),
    ],
)
def test_other_spellings_and_prices_are_refused(name: str) -> None:
    """The message has the name, the limits and a way out."""
    with pytest.raises(input_errors.InvalidParameterError) as caught:
        registry.get(name)
    message = str(caught.value)
    assert name in message
    assert "between 0 and 9999.999" in message
    assert "SR_0.7, SR_2" in message


@pytest.mark.parametrize("price", [-1.0, -0.001, math.nan, -math.inf, 1e4, 0.00001])
def test_prices_out_of_bounds_are_refused(price: float) -> None:
    """Also where no name is read."""
    with pytest.raises(input_errors.InvalidParameterError, match=f"g is {price}"):
        registry.sticky_repair(price)


@pytest.mark.parametrize("price", [-1.0, math.nan])
def test_the_assignment_itself_refuses_a_wrong_price(price: float) -> None:
    """A negative one would pay for consumers."""
    from algorithms.assignment.sticky import sticky_repair

    with pytest.raises(input_errors.InvalidParameterError, match="price must"):
        sticky_repair.start(1, 1.0, 0, price=price)


@pytest.mark.parametrize("name", ["BFD+M", "BFD+P", "BFD+M+P", "MWF+P", "NF+M+P"])
def test_entries_with_passes_describe_themselves(name: str) -> None:
    """They are another algorithm, and none of the paper's twelve."""
    entry = registry.get(name)
    base = registry.get(name.partition("+")[0])
    assert entry.name == name
    assert entry.title.startswith(base.title)
    assert entry.title != base.title
    assert not entry.reference
    assert entry.begin != base.begin
    assert pickle.loads(pickle.dumps(entry)) == entry


@pytest.mark.parametrize(
    "name", ["BFD+", "BFD+X", "BFD+M+M", "BFD+P+M", "BFD+m", "BFD+M+P+M", "BFD +M", "XF+M", "+M"]
)
def test_other_passes_are_unknown(name: str) -> None:
    """The message has the name and the known ones."""
    with pytest.raises(input_errors.UnknownAlgorithmError) as caught:
        registry.get(name)
    assert repr(name) in str(caught.value)
    assert "+M+P" in str(caught.value)


@pytest.mark.parametrize("name", ["kd_3+M", "kd_3+P", "range_3+M", "SR_1+M", "SR_inf+M+P"])
def test_who_takes_no_pass_says_why(name: str) -> None:
    """It would be the same algorithm under another name."""
    base = name.partition("+")[0]
    with pytest.raises(input_errors.InvalidParameterError, match=f"use {base}$"):
        registry.get(name)


def test_families_keep_their_names_for_themselves() -> None:
    """Nothing can be registered under them."""
    for name in ("kd_3", "SR_1", "BFD+M"):
        with pytest.raises(input_errors.InvalidParameterError, match="already registered"):
            registry.register(registry.get(name))


def test_display_order_of_families() -> None:
    """Passes behind their algorithm, prices from the lowest to the highest."""
    ordered = ["BFD", "BFD+M", "BFD+P", "BFD+M+P", "WF", "MBFP", "SR_0", "SR_0.7", "SR_2"]
    ordered += ["SR_10", "SR_inf", "kd_2", "range_2", "kd_10", "range_10", "what"]
    assert sorted(sorted(ordered), key=registry.sort_key) == ordered


def test_patterns_mention_the_families() -> None:
    """A message of an unknown name is all that a user of the command line sees."""
    text = " ".join(registry.known_patterns())
    for form in ("kd_n", "range_n", "SR_g", "NAME+M+P"):
        assert form in text


def test_a_price_is_used() -> None:
    """Two prices are two algorithms."""
    rates, capacity = cases.draw("walk", (30, 60), 1)
    packed = {cases.run(name, rates, capacity, 1).tobytes() for name in ("SR_0", "SR_1", "SR_inf")}
    assert len(packed) == 3
