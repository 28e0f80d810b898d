"""Which iterations of a stream are compared with bounds."""

from __future__ import annotations

from algorithms.core.arrays import check_count

_MOST = 2**31 - 1


def sampled(iterations: int, wanted: int) -> tuple[int, ...]:
    """Iterations, from 1, that are spread evenly over a stream.

    The first iteration, where nothing can migrate, is left out if there are others. There are fewer
    if the stream has fewer.

    >>> sampled(101, 4)
    (14, 39, 64, 89)
    >>> sampled(3, 10), sampled(1, 10), sampled(5, 0)
    ((2, 3), (1,), ())
    """
    iterations = check_count("iterations", iterations, 1, _MOST)
    wanted = check_count("wanted", wanted, 0, _MOST)
    if iterations == 1:
        return (1,) if wanted else ()
    number = min(wanted, iterations - 1)
    # The middle of each of as many equal parts of 2 .. N.
    return tuple(2 + (2 * i + 1) * (iterations - 1) // (2 * number) for i in range(number))
