"""Weights of a policy as text, with their hash."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipeline.base.errors import InputError

BROKERS, GROUP = "brokers", "group"
ENVIRONMENTS = (BROKERS, GROUP)
"""The environments: brokers of a cluster are scaled, or consumers of a group."""

VERSION = 2
"""Version of environments, networks and files: others are refused."""

Weights = tuple[NDArray[np.float32], ...]
"""Weights ``float32[in, out]`` and biases ``float32[out]`` of each layer in turn."""


def packed(weights: Sequence[NDArray[np.float32]]) -> dict[str, Any]:
    """Columns ``layers``, ``weights`` and ``digest`` of `policies`."""
    data = b"".join(np.ascontiguousarray(w, dtype="<f4").tobytes() for w in weights)
    layers = [int(weights[0].shape[0]), *(int(bias.shape[0]) for bias in weights[1::2])]
    return {
        "layers": layers,
        "weights": base64.b64encode(data).decode("ascii"),
        "digest": hashlib.sha256(data).hexdigest(),
    }


def unpacked(layers: Sequence[int], text: str, digest: str) -> Weights:
    """Arrays of a policy. Raises InputError if hash or length differ, or one is not finite."""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise InputError(
            "`weights` is not Base64: the policy is damaged; export it again"
        ) from None
    if hashlib.sha256(data).hexdigest() != digest:
        raise InputError(
            "`weights` does not match `digest`: the policy is damaged; export it again"
        )
    shapes = [s for a, b in pairwise(layers) for s in ((a, b), (b,))]
    size = sum(int(np.prod(shape)) for shape in shapes)
    if len(data) != 4 * size:
        raise InputError(
            f"`weights` must have {size:,} values for layers {'-'.join(map(str, layers))} (got "
            f"{len(data) // 4:,}); export the policy again"
        )
    values = np.frombuffer(data, "<f4").astype(np.float32)
    if not np.isfinite(values).all():
        raise InputError("`weights` has a value that is not finite; train the policy again")
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    parts = np.split(values, ends[:-1])
    return tuple(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True))
