"""Seeds are part of the published results: pinned, distinct, independent of anything else."""

import itertools

import pytest

from algorithms.core import input_errors, seeds

pytestmark = pytest.mark.unit

DELTAS = (0.0, 5.0, 10.0, 15.0, 20.0, 25.0)


def test_pinned_values() -> None:
    """A run is repeated from its root seed alone, on other machines and by later versions.

    If this fails, every stream that was ever generated has become another one.
    """
    assert seeds.stream_seed(0, 0.0, 0) == 602142782490511716
    assert seeds.stream_seed(2024, 5.0, 0) == 635272197741451117
    assert seeds.stream_seed(2024, 5.0, 1) == 5831584670709705594
    assert seeds.stream_seed(2024, 25.0, 9) == 5859674063433137810
    assert seeds.derive_seed(0) == 3074174363062994052
    assert seeds.derive_seed(2024, "bootstrap", 5.0, "MWF", 3) == 1198932530569864260
    assert seeds.derive_seed(-1, "δ") == 8001206014161595342


@pytest.mark.parametrize("part", [None, True, float("nan"), float("inf"), (1,), b"a"])
def test_parts_without_one_spelling_are_refused(part: object) -> None:
    """They would hash by something that is no property of the stream."""
    with pytest.raises(input_errors.InvalidParameterError):
        seeds.derive_seed(0, part)  # type: ignore[arg-type]


@pytest.mark.parametrize("root", [1.0, "1", None, True])
def test_a_root_that_is_no_integer_is_refused(root: object) -> None:
    """1.0 and 1 would be two seeds that look alike."""
    with pytest.raises(input_errors.InvalidParameterError, match="root"):
        seeds.stream_seed(root, 5.0, 0)  # type: ignore[arg-type]


def test_stream_seeds_fit_a_signed_long() -> None:
    """Delta stores them as LONG, and a negative one would be no seed for NumPy."""
    for delta, replicate in itertools.product(DELTAS, range(20)):
        seed = seeds.stream_seed(2024, delta, replicate)
        assert isinstance(seed, int)
        assert 0 <= seed < 2**63


def test_stream_seeds_differ() -> None:
    """Every part of the identity of a stream counts."""
    identities = list(itertools.product((0, 1, 2024), DELTAS, range(50)))
    assert len({seeds.stream_seed(*identity) for identity in identities}) == len(identities)


def test_equal_numbers_give_equal_seeds() -> None:
    """δ = 5 from a configuration file and 5.0 from a preset are the same stream."""
    assert seeds.stream_seed(1, 5, 0) == seeds.stream_seed(1, 5.0, 0)
    assert seeds.stream_seed(1, 0.0, 0) == seeds.stream_seed(1, -0.0, 0)


def test_nearby_parts_are_not_confused() -> None:
    """Parts that run together as text, (1, 12) and (11, 2), stay apart."""
    assert seeds.derive_seed(0, 1, 12) != seeds.derive_seed(0, 11, 2)
    assert seeds.derive_seed(0, "a", "bc") != seeds.derive_seed(0, "ab", "c")
    assert seeds.derive_seed(0, "a", "b") != seeds.derive_seed(0, "b", "a")
    assert seeds.derive_seed(0) != seeds.derive_seed(1)
    assert 0 <= seeds.derive_seed(7, "bootstrap", 3, 2.5) < 2**63


def test_bits_of_seeds_are_balanced() -> None:
    """Each of the 63 bits is set in about half of 2,000 seeds (six standard deviations)."""
    values = [seeds.stream_seed(9, 5.0, replicate) for replicate in range(2000)]
    for bit in range(63):
        ones = sum(value >> bit & 1 for value in values)
        assert abs(ones - 1000) < 135
