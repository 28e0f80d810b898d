"""How kernels are compiled: without counting references, unless they make arrays."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.errors import NumbaError

from algorithms.core import compiled as compiled_module
from algorithms.core.arrays import Floats
from algorithms.core.compiled import allocating, inlined, inner, inner_inlined, kernel

pytestmark = pytest.mark.unit


def half(values: Floats) -> Floats:
    """First half of an array, which shares its memory."""
    return values[: values.shape[0] // 2]


def doubled(values: Floats) -> float:
    """Sum of a copy, which has to be made first."""
    copy = np.empty(values.shape[0])
    for i in range(values.shape[0]):
        copy[i] = 2.0 * values[i]
    return float(copy[0] + copy[-1])


def chosen(rows: Floats) -> float:
    """Something of each row: for that, the row gets a name."""
    total = 0.0
    for i in range(rows.shape[0]):
        row = rows[i]
        if row[0] > 0.0:
            total += row[1]
    return total


def unsaid(values):  # type: ignore[no-untyped-def]
    """Does not say what it returns."""
    return values


def compiled_anew(decorator: Callable[[Any], Any], function: Callable[..., Any]) -> Any:
    """A kernel that neither comes from the disk nor goes there: options are no part of its name."""
    compiled = decorator(function)
    compiled._cache = NullCache()
    return compiled


@pytest.mark.parametrize("decorator", [kernel, inlined, inner, inner_inlined])
def test_only_allocating_kernels_may_return_arrays(decorator: Callable[[Any], Any]) -> None:
    """Others would return memory that is already freed."""
    with pytest.raises(TypeError, match="half returns Floats: only `allocating` functions may"):
        decorator(half)
    with pytest.raises(TypeError, match="unsaid returns no annotated type"):
        decorator(unsaid)
    assert compiled_anew(allocating, half)(np.arange(6.0)).tolist() == [0.0, 1.0, 2.0]


def test_only_allocating_kernels_may_make_arrays() -> None:
    """Numba refuses what it could not free."""
    with pytest.raises(NumbaError, match="empty"):
        compiled_anew(kernel, doubled)(np.arange(3.0))
    assert compiled_anew(allocating, doubled)(np.arange(3.0)) == 4.0


@pytest.mark.parametrize("decorator", [kernel, inlined, allocating])
def test_references_are_counted_only_where_arrays_are_made(
    decorator: Callable[[Any], Any],
) -> None:
    """Or else kernels of many short steps would take three times as long."""
    compiled = compiled_anew(decorator, chosen)
    assert compiled(np.ones((3, 4))) == 3.0
    code = "".join(compiled.inspect_llvm().values())
    assert ("NRT_incref" in code) == (decorator is allocating)


@pytest.mark.parametrize("decorator", [inner, inner_inlined])
def test_only_compiled_functions_call_inner_ones(decorator: Callable[[Any], Any]) -> None:
    """There is no code that Python could call, neither before nor after it is compiled."""
    within = compiled_anew(decorator, chosen)

    def outside(rows: Floats) -> float:
        return float(within(rows) + 1.0)

    for _ in range(2):
        with pytest.raises(TypeError, match="chosen is `inner`"):
            within(np.ones((3, 4)))
        assert compiled_anew(kernel, outside)(np.ones((3, 4))) == 4.0


@pytest.mark.parametrize("counted", [False, True])
def test_another_version_of_numba_counts_references(
    counted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its private option may mean something else there."""
    assert compiled_module.counting(numba.__version__, counted) == {"_nrt": counted}
    monkeypatch.setattr(numba, "__version__", "99.0")
    decorator = allocating if counted else kernel
    code = compiled_anew(decorator, chosen)
    assert "_nrt" not in code.targetoptions
    assert code(np.ones((3, 4))) == 3.0
    assert "NRT_incref" in "".join(code.inspect_llvm().values())


SCALAR = {"ceil", "floor", "float64", "frexp", "int64", "ldexp", "rint", "sqrt", "uint64"}
"""What kernels may call of NumPy and Python's mathematics: functions of numbers."""


SCIENCE = Path(compiled_module.__file__).parents[1]
MODULES = {file.stem for file in SCIENCE.rglob("*.py")}


def kernels() -> dict[str, list[ast.FunctionDef]]:
    """All functions of the science by decorator."""
    names = ("kernel", "inlined", "inner", "inner_inlined", "allocating", "intrinsic")
    by_decorator: dict[str, list[ast.FunctionDef]] = {name: [] for name in names}
    for file in SCIENCE.rglob("*.py"):
        for node in ast.parse(file.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                for decorator in node.decorator_list:
                    if isinstance(decorator, ast.Name) and decorator.id in by_decorator:
                        by_decorator[decorator.id].append(node)
    return by_decorator


def named_tuples() -> set[str]:
    """Types that only hold together arrays and numbers that there are already."""
    return {
        node.name
        for file in SCIENCE.rglob("*.py")
        for node in ast.parse(file.read_text()).body
        if isinstance(node, ast.ClassDef)
        and [ast.unparse(base) for base in node.bases] == ["NamedTuple"]
    }


def calls(function: ast.FunctionDef) -> set[tuple[str, str]]:
    """What a function calls: module or object, empty for a plain name, and name."""
    body = ast.Module(function.body, [])
    called = [node.func for node in ast.walk(body) if isinstance(node, ast.Call)]
    return {
        (ast.unparse(call.value), call.attr) if isinstance(call, ast.Attribute) else ("", call.id)
        for call in called
        if isinstance(call, (ast.Attribute, ast.Name))
    }


@pytest.mark.slow
def test_no_kernel_calls_what_may_make_an_array() -> None:
    """Numba refuses that in most cases, but not all: then memory would never be freed."""
    by_decorator = kernels()
    compiled = {node.name for nodes in by_decorator.values() for node in nodes}
    makers = {node.name for node in by_decorator["allocating"]}
    allowed = (compiled - makers) | named_tuples() | set(dir(builtins))
    checked = by_decorator.keys() - {"allocating", "intrinsic"}  # what generates code is no kernel
    makers_aside = [by_decorator[name] for name in sorted(checked)]
    for function in (each for nodes in makers_aside for each in nodes):
        for owner, name in calls(function):
            here = f"{function.name} calls {owner}.{name}"
            if owner in ("np", "math"):
                assert name in SCALAR, here
            elif owner:
                assert owner in MODULES, f"{here}: a method?"
                assert name in compiled - makers, here
            else:
                assert name in allowed, here
    assert len(by_decorator["kernel"]) > 100
