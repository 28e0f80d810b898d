"""Where settings were trained: experiments and variants by everything that decides on results."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from algorithms.learning import sensitivity
from pipeline.settings.learning_experiment import LearningExperiment, Settings


class Place(NamedTuple):
    """A variant of an experiment."""

    experiment: LearningExperiment
    variant: str


class TrainedVariants:
    """All variants of experiments on brokers, found by their settings."""

    def __init__(self, experiments: Iterable[LearningExperiment]) -> None:
        self._known = [
            (_alike(one.settings(variant)), Place(one, variant))
            for one in experiments
            for variant in one.variants
        ]

    def at(self, settings: Settings, least_seeds: int = 1) -> list[Place]:
        """Places with these settings and enough seeds, those with most seeds last."""
        asked = _alike(settings)
        places = [
            place
            for alike, place in self._known
            if alike == asked and place.experiment.seeds >= least_seeds
        ]
        return sorted(places, key=lambda place: place.experiment.seeds)


def declared(base: Settings) -> dict[str, Settings]:
    """Settings of each variant in the table that changes any, as experiments spell it."""
    every = {
        sensitivity.spelled(name): Settings(*sensitivity.settings_of(name, *base))
        for name in sensitivity.DECLARED
    }
    return {name: settings for name, settings in every.items() if _alike(settings) != _alike(base)}


def _alike(settings: Settings) -> Settings:
    """The settings without what changes no weight: how often a policy is judged in training."""
    return settings._replace(agent=replace(settings.agent, evaluate_every=1))
