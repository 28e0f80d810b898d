"""Simulates dichromatic vision, and measures the distance of two colours."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]

NORMAL = "all cones"
SIGHTS: dict[str, Vector] = {
    NORMAL: np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
"""Matrices for linear RGB: G. Machado, M. Oliveira, L. Fernandes, "A Physiologically-based Model
for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, at full severity."""

_TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)
_WHITE = _TO_XYZ.sum(axis=1)


class Lab(NamedTuple):
    """A colour in CIELAB, white point D65."""

    lightness: float
    a: float
    b: float


def seen(colour: str, sight: str) -> Lab:
    """A CSS colour, such as ``#0b5cab``, as perceived with the given kind of vision."""
    match = re.fullmatch(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", colour)
    assert match, colour
    coded = np.array([int(part, 16) / 255 for part in match.groups()])
    linear = np.where(coded <= 0.04045, coded / 12.92, ((coded + 0.055) / 1.055) ** 2.4)
    return _lab(np.clip(SIGHTS[sight] @ linear, 0.0, 1.0))


def _lab(linear: Vector) -> Lab:
    ratio = _TO_XYZ @ linear / _WHITE
    x, y, z = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio * (29 / 6) ** 2 / 3 + 4 / 29)
    return Lab(float(116 * y - 16), float(500 * (x - y)), float(200 * (y - z)))


def distance(one: Lab, other: Lab) -> float:
    """CIEDE2000: 1 is just noticeable side by side.

    As in G. Sharma, W. Wu, E. Dalal, "The CIEDE2000 Color-Difference Formula", Color Research and
    Application 30(1), 2005.
    """
    chroma = (np.hypot(one.a, one.b) + np.hypot(other.a, other.b)) / 2
    g = 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25.0**7)))
    a1, a2 = one.a * (1 + g), other.a * (1 + g)
    c1, c2 = np.hypot(a1, one.b), np.hypot(a2, other.b)
    h1, h2 = (np.degrees(np.arctan2(b, a)) % 360 for b, a in ((one.b, a1), (other.b, a2)))
    apart = abs(h1 - h2)
    turn = 0.0 if c1 * c2 == 0 else (h2 - h1 if apart <= 180 else h2 - h1 - 360 * np.sign(h2 - h1))
    dl, dc = other.lightness - one.lightness, c2 - c1
    dh = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn) / 2)
    lightness, c = (one.lightness + other.lightness) / 2, (c1 + c2) / 2
    turned = 0.0 if apart <= 180 else 360.0
    h = h1 + h2 if c1 * c2 == 0 else (h1 + h2 + turned) / 2 % 360
    t = (
        1
        - 0.17 * np.cos(np.radians(h - 30))
        + 0.24 * np.cos(np.radians(2 * h))
        + 0.32 * np.cos(np.radians(3 * h + 6))
        - 0.20 * np.cos(np.radians(4 * h - 63))
    )
    sl = 1 + 0.015 * (lightness - 50) ** 2 / np.sqrt(20 + (lightness - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    rotation = -2 * np.sqrt(c**7 / (c**7 + 25.0**7))
    rotation *= np.sin(np.radians(60 * np.exp(-(((h - 275) / 25) ** 2))))
    l_, c_, h_ = dl / sl, dc / sc, dh / sh
    return float(np.sqrt(l_**2 + c_**2 + h_**2 + rotation * c_ * h_))
