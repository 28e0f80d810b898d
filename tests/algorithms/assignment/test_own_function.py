"""A user's own function: what it is offered, and every way in which it can break the contract."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from algorithms.assignment import Observation, own_function, registry
from algorithms.core.input_errors import InvalidParameterError, OwnFunctionError
from tests import guides
from tests.algorithms.assignment import cases
from tests.algorithms.assignment.test_invariants import is_complete, is_feasible

pytestmark = pytest.mark.unit

ALONE = "return np.where(np.isnan(rates), -1, np.arange(rates.size))"
"""A consumer per partition."""


class Folder:
    """A folder on the import path, with modules that each have one function."""

    def __init__(self, root: Path) -> None:
        self.root, self.count = root, 0

    def function(self, body: str, signature: str = "rates") -> str:
        """Name of a new function ``assign``."""
        return self.module(f"def assign({signature}):\n    {body}\n")

    def module(self, code: str) -> str:
        self.count += 1
        name = f"own_{self.root.name.replace('-', '_')}_{self.count}"
        (self.root / f"{name}.py").write_text(f"import numpy as np\n\n{code}")
        return f"{name}:assign"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    monkeypatch.syspath_prepend(str(tmp_path))
    return Folder(tmp_path)


def refusal(name: str) -> str:
    with pytest.raises(OwnFunctionError) as caught:
        own_function.check(name)
    text = str(caught.value)
    assert "\n" not in text
    assert text.startswith(name)
    return text


@pytest.mark.parametrize("kind", cases.KINDS)
def test_the_example_of_the_guide_keeps_the_contract(folder: Folder, kind: str) -> None:
    name = folder.module(guides.python("own-algorithm.md"))
    own_function.check(name)
    algorithm = registry.get(name)
    for rates, capacity, seed in cases.streams_of(kind)[:3]:
        rates = rates[:20]
        consumers = algorithm.assign(rates, capacity, seed)
        assert is_complete(rates, consumers)
        assert is_feasible(rates, consumers, capacity)
        state = algorithm.start(rates.shape[1], capacity, seed)
        steps = [algorithm.step(state, Observation(rates=row)).owners for row in rates]
        assert np.array_equal(np.array(steps), consumers)


def test_arguments_are_passed_by_name(folder: Folder) -> None:
    """In any order, and only those that the function names."""
    name = folder.module(
        "SEEN = []\n\n\ndef assign(iteration, rates, *, seed, before, capacity, mine=3):\n"
        "    SEEN.append((iteration, seed, before.tolist(), capacity, mine))\n"
        "    owners = np.where(np.isnan(rates), -1, np.arange(rates.size))\n"
        "    rates[:] = before[:] = 0\n    return owners\n"
    )
    rates = np.array([[4.0, np.nan], [4.0, 5.0]])
    rates_before = rates.copy()
    # What the function writes into its argument changes neither the stream nor the next step.
    registry.get(name).assign(rates, 10.0, 5)
    assert np.array_equal(rates, rates_before, equal_nan=True)
    seen = sys.modules[name.partition(":")[0]].SEEN
    assert seen == [(1, 5, [-1, -1], 10.0, 3), (2, 5, [0, -1], 10.0, 3)]


def test_a_name_alone_imports_nothing() -> None:
    """Tables of runs are read where the module is not."""
    algorithm = registry.get("no.such.module:assign")
    assert (algorithm.family, algorithm.keeps_capacity) == ("your own", True)
    ordered = ["BFD", "SR_1", "kd_2", "mine:assign", "other.mine:assign"]
    assert sorted(reversed(ordered), key=registry.sort_key) == ordered


def test_passes_are_refused() -> None:
    with pytest.raises(InvalidParameterError, match="mine:assign"):
        registry.get("mine:assign+M")


def test_a_compiled_function_is_called(folder: Folder) -> None:
    code = "from numba import njit\n\n\n@njit\ndef assign(rates, before):\n"
    code += "    after = before.copy()\n    for p in range(rates.size):\n"
    code += "        after[p] = p if rates[p] >= 0.0 else -1\n    return after\n"
    own_function.check(folder.module(code))


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        ("return np.zeros(rates.size)", r"must return 5 integers.* \(got float64\[5\]\)"),
        ("return np.zeros((2, 2), int)", r"got int64\[2, 2\]"),
        ("return [0, 1]", "got list of length 2"),
        ("return None", "got NoneType"),
        ("return np.zeros(rates.size, bool)", r"got bool\[5\]"),
        ("return np.arange(rates.size)", "partition 2 must be -1, as it is absent .got 2"),
        ("return np.full(rates.size, -1)", "partition 0 must be between 0 and 4 .got -1"),
        (f"{ALONE} + 1", "partition 2 must be -1, as it is absent .got 0"),
        ("return np.where(np.isnan(rates), -1, 9)", "between 0 and 4 .got 9"),
        (
            "return np.where(np.isnan(rates), -1, 0)",
            "consumer 0 must have at most 10 bytes/s, or one partition .got 25 bytes/s of 4",
        ),
        ("return 1 / 0", "ZeroDivisionError: division by zero; correct the function"),
    ],
)
def test_wrong_answers_name_iteration_and_cause(folder: Folder, body: str, cause: str) -> None:
    text = refusal(folder.function(body))
    assert "iteration 1" in text
    assert re.search(cause, text), text


@pytest.mark.parametrize("signature", ["", "speeds", "before, capacity", "rates, lag", "*rates"])
def test_wrong_signatures_show_a_right_one(folder: Folder, signature: str) -> None:
    text = refusal(folder.function(ALONE, signature))
    assert "parameters must be rates and any of before, capacity, seed, iteration" in text
    assert f"(got {signature or 'none'})" in text


def test_what_cannot_be_imported(folder: Folder) -> None:
    name = folder.function(ALONE)
    module = name.partition(":")[0]
    assert f"has no asign; choose {name}" in refusal(f"{module}:asign")
    assert "has no function np; choose" in refusal(f"{module}:np")
    missing = "no module no_such on the import path"
    assert missing in refusal("no_such.a:assign")
    assert "imports no_such, which is missing" in refusal(folder.module("import no_such\n"))
    assert "cannot import" in refusal(folder.module("raise SystemExit(3)\n"))
    assert "SyntaxError" in refusal(folder.module("def assign(:\n"))


def test_a_function_that_is_not_repeatable_is_refused(folder: Folder) -> None:
    code = "CALLS = []\n\n\ndef assign(rates):\n    CALLS.append(0)\n"
    code += "    ids = (np.arange(rates.size) + len(CALLS)) % rates.size\n"
    code += "    return np.where(np.isnan(rates), -1, ids)\n"
    # The trial has four iterations: the second one begins with another id.
    assert "two calls with equal arguments must return equal consumers" in refusal(
        folder.module(code)
    )


def test_an_edited_module_is_imported_again(folder: Folder) -> None:
    """A worker process may have imported an older one."""
    name = folder.function(ALONE)
    own_function.check(name)
    before = own_function.source(name)
    file = folder.root / f"{name.partition(':')[0]}.py"
    file.write_text("def assign(rates):\n    return 'another length'\n")
    assert "got str" in refusal(name)
    assert own_function.source(name) != before
