"""When seamless scaling responds later than a restart, as fetched events stay with old instances.

One instance has a backlog when it becomes several. Seamless: it goes on with what it has fetched,
and the new ones begin without any of it. A restart hands that out again, after a pause without any
instance. Which of the new instances gets it depends on their starts: see `Crossed`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from algorithms.core.setting import setting
from algorithms.simulation.application_graph import Function, check_application
from algorithms.simulation.application_settings import check_settings

START_GAP_S = 0.05
"""Between the starts of two instances of a change, s: 58 on a Pulsar had 8 to 134 ms, median 45 ms.
What waits is handed out to the first one within a few ms, so the exact time hardly matters."""

CHANGE_S, AFTER_S = 10.0, 60.0
"""When instances change, and how long events arrive after that, s."""

LOAD = 0.6
"""Of the instances after the change, by events that arrive after it."""

_BURST_S = 0.001


@dataclass(frozen=True, kw_only=True)
class CrossingChoices:
    """What is crossed."""

    backlogs: tuple[int, ...] | None = setting(
        None,
        "Events that wait when one instance of the slowest function becomes several; None: this "
        "is not simulated.",
        "events",
        at_least=1,
        at_most=10_000,
    )
    receiver_queues: tuple[int, ...] = setting(
        (1, 10, 100, 1000),
        "Events that an instance fetches ahead then.",
        "events",
        at_least=1,
        at_most=10_000,
    )
    grown_to: int = setting(
        4, "Instances that the one becomes.", "instances", at_least=2, at_most=15
    )


class Crossed(NamedTuple):
    """Mean response, s, of what waits at the change and what arrives in the `AFTER_S` after it."""

    seamless: float
    restart: float
    """All new instances are there before events are handed out."""
    staggered: float
    """A restart whose instances start `START_GAP_S` after each other: the first one fetches what
    waits, as far as it has room."""


def cross(
    function: Function,
    backlog: int,
    receiver_queue: int,
    grown_to: int,
    startup_s: float,
    seed: int,
) -> Crossed:
    """Simulate one change of a function's only instance in three ways, with the same events.

    backlog: Events that wait, one of which is in service.
    startup_s: Time after which new instances work, s, in all three ways.
    O(n log n) for n events: the backlog, and those at `LOAD` afterwards.

    Events arrive at constant spacing. If services take s and all B events fit into the buffer, the
    old instance needs B s for them, and m instances that share them B s / m. So seamless scaling is
    later from about B = 2 startup / (s (1 - 1/m)) on.
    """
    return Crossed(
        *(
            _mean_response(
                function,
                backlog,
                grown_to,
                {
                    "receiver_queue": receiver_queue,
                    "startup_s": startup_s,
                    "replace": replace,
                    "start_gap_s": gap,
                    "decision_s": CHANGE_S,
                    "spacing": "constant",
                    "seed": seed,
                },
            )
            for replace, gap in ((False, 0.0), (True, 0.0), (True, START_GAP_S))
        )
    )


def _mean_response(
    function: Function, backlog: int, grown_to: int, settings: dict[str, object]
) -> float:
    from algorithms.simulation.application_loop import Loop

    pieces = [
        (CHANGE_S - _BURST_S, 0.0),
        (_BURST_S, backlog / _BURST_S),
        (AFTER_S, LOAD * grown_to * function.mu),
    ]
    alone = {"mu": function.mu, "cs": function.cs}
    application = check_application({"function": alone}, [], {"function": pieces})
    loop = Loop(application, check_settings(settings, application.seconds))
    mean = loop.run(lambda analysis: np.array([grown_to])).paths[0].mean
    assert mean is not None  # The backlog has at least one event.
    return mean
