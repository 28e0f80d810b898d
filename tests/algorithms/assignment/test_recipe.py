"""The algorithm that docs/architecture.md gives as an example can be copied and run."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from algorithms.assignment import stepping
from algorithms.assignment.algorithm import Algorithm, Observation, Start
from tests import guides
from tests.algorithms.assignment import cases
from tests.algorithms.assignment.test_invariants import is_complete, is_feasible

pytestmark = [pytest.mark.unit, pytest.mark.slow]

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


@pytest.mark.parametrize("kind", cases.KINDS)
def test_the_example_keeps_the_contract(example: Algorithm, kind: str) -> None:
    for rates, capacity, seed in cases.streams_of(kind):
        consumers = example.assign(rates, capacity, seed)
        assert is_complete(rates, consumers)
        assert is_feasible(rates, consumers, capacity)
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
