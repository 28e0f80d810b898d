"""Assignments with passes or with a price, pinned: why is said in `goldens_frontier`."""

import hashlib

import numpy as np
import pytest

from algorithms.assignment import parametric_names
from algorithms.workloads import random_walk
from tests.algorithms.assignment import cases, goldens, goldens_frontier

pytestmark = pytest.mark.unit

RATES = np.array(goldens.RATES)


def digest(name: str) -> str:
    """First digits of a hash of the whole assignment of the large stream."""
    shape = goldens_frontier.PARTITIONS, goldens_frontier.ITERATIONS
    rates = random_walk.generate(
        *shape,
        goldens_frontier.DELTA,
        goldens_frontier.CAPACITY,
        None,
        goldens_frontier.STREAM_SEED,
    )
    consumers = cases.run(name, rates, goldens_frontier.CAPACITY, goldens_frontier.STREAM_SEED)
    return hashlib.sha256(consumers.astype("<i4").tobytes()).hexdigest()[:16]


def form_of(name: str) -> str:
    """The pattern that a name is of."""
    base, suffix = parametric_names.split(name)
    return f"NAME{suffix}" if suffix else f"{base.partition('_')[0]}_g"


@pytest.mark.parametrize("name", goldens_frontier.EXPECTED)
def test_assignment_is_the_pinned_one(name: str) -> None:
    """On the small stream."""
    consumers = cases.run(name, RATES, goldens.CAPACITY, goldens.SEED)
    assert consumers.tolist() == goldens_frontier.EXPECTED[name]


@pytest.mark.parametrize("name", goldens_frontier.DIGESTS)
def test_digest_is_the_pinned_one(name: str) -> None:
    """On the large stream, the same bits on every machine."""
    assert digest(name) == goldens_frontier.DIGESTS[name]


def test_every_family_is_pinned() -> None:
    """A new family needs goldens; Kafka's are with the paper's."""
    forms = {pattern.form for pattern in parametric_names.PATTERNS} - {"kd_n", "range_n"}
    assert {form_of(name) for name in goldens_frontier.EXPECTED} == forms
    assert {form_of(name) for name in goldens_frontier.DIGESTS} == forms


def test_no_two_digests_are_alike() -> None:
    """Otherwise a price or a pass that is not used would pass."""
    assert len(set(goldens_frontier.DIGESTS.values())) == len(goldens_frontier.DIGESTS)
