"""How kernels are compiled: without counting references, unless they make arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.errors import NumbaError

from algorithms.arrays import Floats
from algorithms.compiled import allocating, inlined, kernel

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


@pytest.mark.parametrize("decorator", [kernel, inlined])
def test_only_allocating_kernels_may_return_arrays(decorator: Callable[[Any], Any]) -> None:
    """Others would hand out memory that nobody keeps."""
    with pytest.raises(TypeError, match="half returns Floats: only `allocating` ones may"):
        decorator(half)
    assert allocating(half)(np.arange(6.0)).tolist() == [0.0, 1.0, 2.0]


def test_only_allocating_kernels_may_make_arrays() -> None:
    """Numba refuses what it could not free."""
    with pytest.raises(NumbaError, match="empty"):
        kernel(doubled)(np.arange(3.0))
    assert allocating(doubled)(np.arange(3.0)) == 4.0


@pytest.mark.parametrize("decorator", [kernel, inlined, allocating])
def test_references_are_counted_only_where_arrays_are_made(
    decorator: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or else kernels of many short steps would take three times as long."""
    compiled = decorator(chosen)
    # What comes from the disk has no text to look into.
    monkeypatch.setattr(compiled, "_cache", NullCache())
    assert compiled(np.ones((3, 4))) == 3.0
    code = "".join(compiled.inspect_llvm().values())
    assert ("NRT_incref" in code) == (decorator is allocating)
