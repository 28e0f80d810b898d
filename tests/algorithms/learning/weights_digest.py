"""Digest of trained weights, to compare those of two processes."""

from __future__ import annotations

import hashlib

import numpy as np

from algorithms.learning.policy_network import Weights


def weights_hash(weights: Weights) -> str:
    """SHA-256 of shapes and little-endian bytes of all arrays, in hexadecimal."""
    digest = hashlib.sha256()
    for array in weights:
        digest.update(repr(array.shape).encode())
        digest.update(np.ascontiguousarray(array, dtype="<f4").tobytes())
    return digest.hexdigest()
