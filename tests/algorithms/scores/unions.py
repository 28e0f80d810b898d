"""Unions of progressions for tests, with the enumeration that closed forms have to agree with."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from algorithms.scores.progressions import Progressions, positive_part

Samples = NDArray[np.float64]


class Union(NamedTuple):
    """Progressions as they are given."""

    slope: tuple[float, ...]
    intercept: tuple[float, ...]
    length: tuple[int, ...]

    def progressions(self) -> Progressions:
        """Closed form of the positive samples."""
        return positive_part(
            np.array(self.slope, np.float64),
            np.array(self.intercept, np.float64),
            np.array(self.length, np.int64),
        )

    def samples(self) -> Samples:
        """All positive samples, ascending."""
        every = [
            enumerated(*one) for one in zip(self.slope, self.intercept, self.length, strict=True)
        ]
        return np.sort(np.concatenate([np.empty(0), *every]))


def enumerated(slope: float, intercept: float, length: int) -> Samples:
    """List the positive samples of one progression, in the order of their index."""
    if slope == np.inf:
        samples = np.array([intercept] + [np.inf] * (length - 1))[:length]
    else:
        samples = slope * np.arange(length) + intercept
    return samples[samples > 0.0]


# Besides ordinary slopes: zero, infinite ones, and ones that are lost in the rounding of
# an ordinary intercept, so that many neighbours are equal and the closed form is far off.
slopes = st.one_of(
    st.floats(-10.0, 10.0),
    st.sampled_from([0.0, 1.0, -1.0, 0.1, -0.1, np.inf]),
    st.floats(1e-18, 1e-14),
    st.floats(-1e-14, -1e-18),
)
intercepts = st.one_of(
    st.sampled_from([0.0, 5.0, np.inf]), st.floats(0.0, 10.0), st.floats(0.0, 1e6)
)


@st.composite
def unions(draw: st.DrawFn, longest: int = 60) -> Union:
    """Strategy for up to six progressions that can be enumerated."""
    rows = draw(
        st.lists(st.tuples(slopes, intercepts, st.integers(0, longest)), min_size=1, max_size=6)
    )
    slope, intercept, length = zip(*rows, strict=True)
    return Union(slope, intercept, length)
