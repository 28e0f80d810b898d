"""What experiments with Pulsar Functions set."""

from __future__ import annotations

from dataclasses import dataclass

from algorithms.core.setting import setting
from algorithms.simulation.application_settings import DecidedApplication
from algorithms.workloads.image_application import LOADS

RECOGNISE, IMAGES = "recognise", "images"
"""Applications: one function, or the three of the paper's Fig. 3."""

IMAGE_WIDTHS = {"store": 160, "shrink": 64}
"""Functions of the paper's application that resize images, and to which width, pixels: what is
stored, and what is recognised."""

AT_LEAST_ONCE, AT_MOST_ONCE = "atleast_once", "atmost_once"
"""Pulsar's guarantees, by its own names."""

UNINTERRUPTIBLE, INTERRUPTIBLE = "uninterruptible", "interruptible"
"""What a function does with a record that it holds when Pulsar interrupts it."""


@dataclass(frozen=True, kw_only=True)
class FunctionChoices(DecidedApplication):
    """An application of Pulsar Functions, its load, and how it is looked at."""

    graph: str = setting(
        RECOGNISE,
        "Functions: one (recognise), or the three of the paper's Fig. 3 (images).",
        one_of=(RECOGNISE, IMAGES),
    )
    recognise_s: float = setting(
        0.5,
        "Mean time for which `recognise` holds a record.",
        "s",
        at_least=0.02,
        at_most=10,
    )
    load_levels: tuple[float, ...] = setting(
        LOADS,
        "Load of `recognise` in each interval: instances that would be busy all the time.",
        "instances",
        above=0,
        at_most=12,
    )
    piece_s: float = setting(
        600.0, "Length of an interval of constant load.", "s", at_least=5, at_most=3600
    )
    guarantee: str = setting(
        AT_LEAST_ONCE,
        "Pulsar's guarantee. Losses of functions that process at most once are reported, not "
        "judged.",
        one_of=(AT_LEAST_ONCE, AT_MOST_ONCE),
    )
    hold: str = setting(
        UNINTERRUPTIBLE,
        "Whether a function that Pulsar stops first holds its record to the end "
        "(uninterruptible), or drops it, so that it is delivered again.",
        one_of=(UNINTERRUPTIBLE, INTERRUPTIBLE),
    )
    image_width: int = setting(
        320,
        "Width of the images that records carry with `graph=images`; `store` and `shrink` resize "
        "them. 0: they carry none, and both functions hold them for a drawn time.",
        "pixels",
        at_least=0,
        at_most=2000,
    )
    first_instances: int = setting(
        1, "Instances of each function at the start.", "instances", at_least=1, at_most=15
    )
    resizings: int = setting(
        0,
        "Changes each way of the instances of `recognise`, and as many windows without one; then "
        "no policy decides. 0: policies decide.",
        "changes",
        at_least=0,
        at_most=1000,
    )
    slot_s: float = setting(
        4.0, "Time from one such change or window to the next.", "s", at_least=1, at_most=60
    )

    @property
    def carried_width(self) -> int:
        """Width of the images that records carry, pixels; 0: they carry none."""
        return self.image_width if self.graph == IMAGES else 0
