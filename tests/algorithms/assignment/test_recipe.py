"""The algorithm that docs/architecture.md gives as an example can be copied and run."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from algorithms.assignment import registry, stepping
from algorithms.assignment.algorithm import Algorithm, Observation, Start
from tests import guides
from tests.algorithms.assignment import cases, test_invariants

pytestmark = [pytest.mark.unit, pytest.mark.slow]

CONTRACT = [
    invariant
    for invariant in vars(test_invariants).values()
    for mark in getattr(invariant, "pytestmark", ())
    if any(mark.args[1] is names for names in (test_invariants.EVERY, test_invariants.KEEPING))
]
"""Tests of what every algorithm promises, or every one that keeps to the capacity."""

PAGE = Path(__file__).parents[3] / "docs" / "architecture.md"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Algorithm:
    """The module of the page, imported, and its algorithm."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (code,) = (block for block in blocks if "makes_steps" in block)
    folder = tmp_path_factory.mktemp("recipe")
    (folder / "one_each.py").write_text(code, encoding="utf-8")
    sys.path.insert(0, str(folder))
    try:
        module = __import__("one_each")
    finally:
        sys.path.remove(str(folder))
    assert isinstance(module, ModuleType)
    # The entry that registers it, for a module that is not in the package.
    added: list[Algorithm] = []
    entry = guides.block("docs/architecture.md", "register(\n    Algorithm(")
    names = {"register": added.append, "Algorithm": Algorithm, "starting": lambda m: Start(m, ())}
    exec(compile(entry, "docs/architecture.md", "exec"), names)
    return added[0]


@pytest.mark.parametrize("invariant", CONTRACT)
def test_the_example_keeps_the_contract(
    example: Algorithm, invariant: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if it were registered."""
    assert example.keeps_capacity
    monkeypatch.setitem(registry._ALGORITHMS, example.name, example)
    invariant(name=example.name)


@pytest.mark.parametrize("kind", cases.KINDS)
def test_the_example_makes_the_steps_of_the_stream(example: Algorithm, kind: str) -> None:
    for rates, capacity, seed in cases.streams_of(kind):
        consumers = example.assign(rates, capacity, seed)
        state = example.start(rates.shape[1], capacity, seed)
        steps = [example.step(state, Observation(rates=row)).owners for row in rates]
        assert np.array_equal(np.array(steps), consumers)


def test_an_algorithm_of_another_package_leaves_no_code_that_others_cannot_read(
    example: Algorithm,
) -> None:
    """Worker processes once failed to start: the kept code named a module that they lacked."""
    example.assign(np.ones((2, 3)), 1.0, 0)
    state = example.start(3, 1.0, 0)
    example.step(state, Observation(rates=np.ones(3)))
    kept = stepping._ours.signatures  # type: ignore[attr-defined]
    assert "OneEach" not in str(kept)
