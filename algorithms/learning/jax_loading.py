"""JAX, imported when training begins: on one thread, on the processor."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

_ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"


class Modules(NamedTuple):
    """The modules ``jax``, ``jax.numpy`` and ``optax``."""

    jax: Any
    numpy: Any
    optax: Any


def load() -> Modules:
    """Import JAX and optax.

    There is one thread that computes, so that nothing is divided by the number of processors;
    training uses several of them by training different agents in processes of their own. JAX may
    have been imported before, but not used: it reads the number when it begins. A process that
    forks must do so before it calls this.
    """
    flags = os.environ.get("XLA_FLAGS", "")
    if _ONE_THREAD not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} {_ONE_THREAD}".strip()
    # XLA's flag alone leaves as many threads as processors.
    os.environ["PJRT_NPROC"] = "1"
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax
    import jax.numpy
    import optax

    return Modules(jax, jax.numpy, optax)
