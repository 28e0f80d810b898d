"""Seeds derived by hashing, so that they depend only on what is drawn."""

from __future__ import annotations

import hashlib
import math

import numpy as np

from algorithms.core.input_errors import InvalidParameterError

SEED_MASK = 2**63 - 1
"""Seeds have 63 bits: they fit Spark's BIGINT and are never negative."""


def derive_seed(root: int, *parts: str | int | float) -> int:
    """Hash a root seed and the name of what is to be drawn to a seed.

    Different names give unrelated seeds, the same name always the same one, on every machine
    and version of Python.

    *parts: The name. Order and types matter: ``5`` and ``5.0`` are different names; 0.0 and -0.0
        are the same.
    Raises InvalidParameterError if the root is not an integer, or a part has another type or is not
        finite.

    BLAKE2b with 64 bits over length-prefixed, typed text; the topmost bit is dropped.

    >>> derive_seed(1, "bootstrap", 0) == derive_seed(1, "bootstrap", 0)
    True
    >>> derive_seed(1, "bootstrap", 0) == derive_seed(1, "bootstrap", 1)
    False
    """
    if isinstance(root, bool) or not isinstance(root, int | np.integer):
        raise InvalidParameterError(f"root must be an integer (got {root!r})")
    text = "".join(_canonical(part) for part in (int(root), *parts))
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") & SEED_MASK


def stream_seed(root: int, delta: float, replicate: int) -> int:
    """Seed of one generated stream.

    It depends neither on the number of streams nor on how Spark distributes them. The start
    condition is not part of it on purpose: streams that differ only in their start take the same
    steps, so comparisons between them are paired.

    delta: Greatest change of a partition's speed from one iteration to the next, in % of the
        capacity.
    Raises InvalidParameterError if an argument has the wrong type or δ is not finite.

    >>> stream_seed(2024, 5, 0) == stream_seed(2024, 5.0, 0)
    True
    >>> stream_seed(2024, 5, 0) == stream_seed(2024, 5, 1)
    False
    """
    return derive_seed(root, "stream", float(delta), replicate)


def _canonical(part: str | int | float) -> str:
    """Text of one part; its type and length come first, so that different lists differ."""
    if isinstance(part, str):
        tag, text = "s", part
    elif isinstance(part, int | np.integer) and not isinstance(part, bool):
        tag, text = "i", str(int(part))
    elif isinstance(part, float) and math.isfinite(part):
        tag, text = "f", repr(float(part) + 0.0)
    else:
        raise InvalidParameterError(
            f"parts of a seed's name must be text, integers or finite numbers (got {part!r})"
        )
    return f"{tag}{len(text)}:{text}"
