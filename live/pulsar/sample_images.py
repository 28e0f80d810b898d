"""Small images for records to carry: discs of random colours on a gradient."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

from algorithms.core.seeds import derive_seed

KINDS = 16
"""Different images of a run; records carry them in turn."""

_DISCS = 12
_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def drawn(width: int, seed: int) -> list[bytes]:
    """`KINDS` PNG files, as wide as that and three quarters as high, the same for a seed."""
    return [
        _png(_pixels(width, np.random.default_rng(derive_seed(seed, "image", kind))))
        for kind in range(KINDS)
    ]


def _pixels(width: int, rng: np.random.Generator) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """uint8[height, width, 3]."""
    height = max(width * 3 // 4, 1)
    y, x = np.ogrid[:height, :width]
    first, last = rng.uniform(0.0, 255.0, (2, 3))
    share = np.broadcast_to((x / width)[..., None], (height, width, 1))
    pixels: np.ndarray[Any, np.dtype[np.uint8]] = (first + (last - first) * share).astype(np.uint8)
    for _ in range(_DISCS):
        across, down = rng.uniform(0.0, (width, height))
        radius = rng.uniform(0.03, 0.2) * width
        pixels[(x - across) ** 2 + (y - down) ** 2 < radius**2] = rng.integers(0, 256, 3)
    return pixels


def _png(pixels: np.ndarray) -> bytes:
    """A PNG file: 8 bits for each of red, green and blue, lines without filters."""
    height, width, _ = pixels.shape
    lines = b"".join(b"\0" + line.tobytes() for line in pixels)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    return _SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in parts
    )
