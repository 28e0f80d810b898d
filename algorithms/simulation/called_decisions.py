"""Decisions behind an address, so that the loop that asks for them is compiled once.

The machine code of a strategy's decision is compiled by itself, for a pointer to the strategy's
state. The loop calls it by its address, which is a number: neither the code of a strategy nor the
type of its state is part of the loop. A call by address takes a few nanoseconds, so it is for what
is called once per decision.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numba
import numba.extending
import numpy as np
from numba.core import cgutils
from numba.core.compiler_lock import global_compiler_lock

from algorithms.autoscaling import compiled_decisions  # noqa: F401  registers the dispatch
from algorithms.autoscaling.dispatch import (
    KNOW_BLINDNESS,
    Seen,
    cacheable,
    decide,
    follows_arrivals,
)
from algorithms.core.arrays import Longs
from algorithms.core.compiled import (
    inner_allocating,
    inner_allocating_unkept,
    kernel,
    kernel_unkept,
)

types: Any = numba.types
typeof: Any = numba.typeof
intrinsic: Any = numba.extending.intrinsic

Generated = tuple[Any, Callable[..., Any]]
"""Signature of an intrinsic function, and what generates its code."""

_FLOATS, _LONGS, _BOOLS = (
    types.Array(each, 1, "C") for each in (types.float64, types.int64, types.boolean)
)
_SEEN = types.NamedTuple(
    (
        *(types.float64, types.int64, _FLOATS, _FLOATS, _LONGS, types.int64, _BOOLS, _FLOATS),
        *(types.int64, _FLOATS),
    ),
    Seen,
)
_ANSWER = types.UniTuple(types.int64, 2)

_WORD = 8
_FIRST_TRIED = 64
"""Words of memory for a state: enough for eight arrays."""


class Called(NamedTuple):
    """A strategy as the loop sees it."""

    decision: int
    """Address of the machine code that decides."""
    state: Longs
    """int64[...]: memory that holds the state of the strategy. It does not keep the arrays of the
    state."""
    knows_blindness: bool
    """See `algorithms.autoscaling.dispatch.KNOW_BLINDNESS`."""
    follows_arrivals: bool
    """See `algorithms.autoscaling.dispatch.follows_arrivals`."""


@intrinsic  # type: ignore[untyped-decorator]
def ask(typingctx: Any, decision: Any, place: Any, seen: Any, after: Any) -> Generated:
    """Call the decision at an address, with the address of the strategy's state."""
    arguments = (types.intp, _SEEN, _LONGS)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        convention = context.call_conv
        code = convention.get_function_type(_ANSWER, arguments).as_pointer()
        address = builder.inttoptr(args[0], code)
        status, answer = convention.call_function(builder, address, _ANSWER, arguments, args[1:])
        with cgutils.if_unlikely(builder, status.is_error):  # type: ignore[no-untyped-call]
            convention.return_status_propagate(builder, status)
        return answer

    return _ANSWER(types.intp, *arguments), generate


@intrinsic  # type: ignore[untyped-decorator]
def _words(typingctx: Any, state: Any) -> Generated:
    """Size of a state in memory, in words."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        size = context.get_abi_sizeof(context.get_data_type(state))
        return context.get_constant(types.int64, -(-size // _WORD))

    return types.int64(state), generate


@intrinsic  # type: ignore[untyped-decorator]
def _store(typingctx: Any, state: Any, place: Any) -> Generated:

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = builder.inttoptr(args[1], context.get_data_type(state).as_pointer())
        context.pack_value(builder, state, args[0], pointer, align=_WORD)
        return context.get_dummy_value()

    return types.void(state, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def _load(typingctx: Any, pointer: Any) -> Generated:
    state = pointer.dtype

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = context.unpack_value(builder, state, args[0], align=_WORD)
        if context.enable_nrt:  # as the caller will count one reference less when it returns
            context.nrt.incref(builder, state, value)
        return value

    return state(pointer), generate


def _write(state: Any, memory: Longs) -> int:
    """Write a state if there is enough memory; return how many words it takes."""
    words: int = _words(state)
    if words <= memory.shape[0]:
        _store(state, memory.ctypes.data)
    return words


def _decide(pointer: Any, seen: Seen, after: Longs) -> tuple[int, int]:
    return decide(_load(pointer), seen, after)


_ours = kernel(_write), inner_allocating(_decide)
_others = kernel_unkept(_write), inner_allocating_unkept(_decide)

_ADDRESSES: dict[Any, int] = {}


def called(strategy: Any) -> Called:
    """Compile the decision of a strategy, unless that was done before, and write its state.

    strategy: State of the strategy: a named tuple. It must be kept while the result is in use.
    """
    write, compiled = _ours if cacheable(strategy) else _others
    memory = np.empty(_FIRST_TRIED, np.int64)
    words = write(strategy, memory)
    if words > memory.size:
        memory = np.empty(words, np.int64)
        write(strategy, memory)
    kind = typeof(strategy)
    if kind not in _ADDRESSES:
        _ADDRESSES[kind] = _address_of(compiled, (types.CPointer(kind), _SEEN, _LONGS))
    knows = type(strategy) in KNOW_BLINDNESS
    return Called(_ADDRESSES[kind], memory, knows, follows_arrivals(strategy))


@global_compiler_lock  # type: ignore[untyped-decorator]
def _address_of(compiled: Any, arguments: tuple[Any, ...]) -> int:
    """Address of a function's machine code for arguments of these types."""
    compiled.compile(arguments)
    overload = compiled.overloads[arguments]
    address: int = overload.library.get_pointer_to_function(overload.fndesc.llvm_func_name)
    return address
