"""The reference application of several functions: images are stored, shrunk and recognised."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from algorithms.core.input_errors import InvalidParameterError

LOADS = (0.5, 1.5, 3.0, 4.5, 2.5, 1.0)
"""Load of `recognise` in each interval: instances that would be busy all the time."""


class ApplicationWorkload(NamedTuple):
    """The first arguments of `algorithms.simulation.simulate_application`."""

    functions: dict[str, dict[str, float]]
    """``mu`` and ``cs`` of each function."""
    edges: list[tuple[str, str]]
    """Where events go."""
    sources: dict[str, list[tuple[float, float]]]
    """Intervals of constant rate, (seconds, events/s), of each source."""


def image_application(
    recognise_s: float = 0.5, loads: Sequence[float] = LOADS, interval_s: float = 600.0
) -> ApplicationWorkload:
    """Images go to `store` and to `shrink`, and from `shrink` to `recognise`.

    recognise_s: Mean time to recognise an image, s.
    loads: Images that arrive per `recognise_s`, for each interval.
    interval_s: Length of an interval, s.
    Returns: the source ``images`` and the three functions, with one instance each.

    The application of Russo Russo, Schiazza, Cardellini 2021, Section 5.2: one interval per ten
    minutes, and `recognise` is much the slowest. The paper draws the rates and gives no service
    times, so these are assumptions:

    - The loads are those of the workload that stands for the same experiment with a single consumer
      group: 5, 15, 30, 45, 25 and 10 events/s at 10 events/s per consumer. They go up by a
      factor of nine and down again, and recognition needs between one and five instances.
    - Recognition takes half a second. The bound on response times in the paper is 1 s. It would be
      out of reach if recognition took longer than that, and would hardly matter if it took only a
      few hundredths of a second, as then any number of instances that keeps up meets it.
    - `shrink` takes a tenth of that (decoding and resizing take some tens of milliseconds), and
      `store` a 25th (one write). One instance of each keeps up with all loads.
    - Service times of `store` and `shrink` depend on the size of the image and are exponential.
      `recognise` gets images of one size, so its times vary half as much (``cs`` 0.5).

    >>> workload = image_application(loads=[1.0, 4.5])
    >>> workload.sources
    {'images': [(600.0, 2.0), (600.0, 9.0)]}
    """
    seconds = _positive("recognise_s", recognise_s)
    length = _positive("interval_s", interval_s)
    if not loads or not all(math.isfinite(load) and load >= 0.0 for load in loads):
        raise InvalidParameterError(
            f"loads must be one or more finite numbers of at least 0 (got {list(loads)})"
        )
    mu = 1.0 / seconds
    return ApplicationWorkload(
        functions={
            "store": {"mu": 25.0 * mu, "cs": 1.0},
            "shrink": {"mu": 10.0 * mu, "cs": 1.0},
            "recognise": {"mu": mu, "cs": 0.5},
        },
        edges=[("images", "store"), ("images", "shrink"), ("shrink", "recognise")],
        sources={"images": [(length, load * mu) for load in loads]},
    )


def _positive(name: str, value: float) -> float:
    number = float(value)
    if not 0.0 < number < math.inf:
        raise InvalidParameterError(f"{name} must be finite and above 0 s (got {value})")
    return number
