"""Experiments of the preset of the family `applications`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from algorithms.workloads.image_application import LOADS, image_application
from pipeline.inputs.applications.application_text import describe
from pipeline.inputs.applications.policy_names import COMPARED, PUBLISHED
from pipeline.settings.application_experiment import COMMON_QUEUE

Experiments = Mapping[str, Mapping[str, Any]]

_ALPHAS = tuple(f"queueing_paths:alpha={alpha:g}" for alpha in (0.25, 0.75))
_LOWER = tuple(0.6 * load for load in LOADS)


_PUBLISHED = {**COMMON_QUEUE, "policies": PUBLISHED, "replicates": 20}


def _images(**workload: Any) -> Mapping[str, Any]:
    """The application of images in another setting, under the published policies."""
    return {**_PUBLISHED, "application": describe(image_application(**workload)._asdict()).text}


IMAGES: Experiments = {
    "images": {**COMMON_QUEUE, "policies": (*COMPARED, *_ALPHAS)},
    # What the paper leaves open: service times and rates.
    "images-faster": _images(recognise_s=0.25),
    "images-slower": _images(recognise_s=0.8),
    "images-less": _images(loads=_LOWER),
    # Pulsar's own update restarts all instances of a function.
    "images-restart": {**_PUBLISHED, "replace": True, "startup_s": 1.0},
    # Pulsar's default: instances fetch ahead. A restart paused a Pulsar for half a second.
    "images-prefetch": {
        "policies": PUBLISHED,
        "replicates": 20,
        "startup_s": 0.5,
        "backlogs": (1, 3, 10, 20, 30, 50, 100, 300, 1000),
    },
}
"""The application of a paper's Figure 3, and what of its setting is not printed, one change at a
time."""
