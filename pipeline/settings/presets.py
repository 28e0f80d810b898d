"""Presets: named sets of experiments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.settings import (
    application_presets,
    asking_presets,
    broker_presets,
    learning_presets,
    live_presets,
    pulsar_presets,
    scaling_presets,
)
from pipeline.settings.field_checks import REFERENCE

DEFAULT, AUTOSCALING, LIVE, LEARNING = "paper", "autoscaling", "live", "learning"
APPLICATIONS, PULSAR, BROKERS = "applications", "pulsar", "brokers"
"""Default presets of the families."""

PAPERS = "autoscaling-papers"
"""Preset on recorded workloads."""

CLAIMS, LONG_CLAIMS = "group-claims", "group-claims-2h"
CLAIMED = (CLAIMS, LONG_CLAIMS)
"""Presets whose experiments are those of a generated workload, or of each recorded one."""

BAD_HOUR = "bad-hour"
"""Preset of events at the busiest hour of a generated workload."""

_SIX_DELTAS = (0, 5, 10, 15, 20, 25)
_FIVE_DELTAS = _SIX_DELTAS[1:]

_PASSES = ("BFD+M", "BFD+P", "BFD+M+P", "MBF+M+P", "MWF+M+P")
PRICES = ("0", "0.2", "0.4", "0.55", "0.7", "0.85", "1", "1.5", "2", "3", "5", "8", "inf")
"""Prices of a consumer with which preset `frontier` runs `SR_g`."""

_AHEAD = (*_PASSES, *(f"SR_{price}" for price in PRICES))
"""Algorithms beyond the paper's that preset `frontier` compares with them."""


@dataclass(frozen=True)
class Preset:
    """A named set of experiments."""

    name: str
    meaning: str
    """What it runs, in at most 40 characters: `groupscale presets` has a line for each."""
    experiments: Mapping[str, Mapping[str, Any]]
    """Raw settings of each experiment by name, as a configuration file could have them."""
    family: str = "assignment"
    """Family of the experiments."""


def _frontier(**settings: Any) -> Mapping[str, Any]:
    """An experiment of preset `frontier`."""
    return {
        "iterations": 500,
        "deltas": _FIVE_DELTAS,
        "replicates": 20,
        "algorithms": (REFERENCE, *_AHEAD),
        **settings,
    }


_ALL = (
    Preset(
        "paper",
        "the paper's Sections VI-E and VI-C",
        {
            "tradeoff": {
                "partitions": 200,
                "iterations": 500,
                "deltas": _SIX_DELTAS,
                "replicates": 10,
                # And next fit as the authors released it, which two of their figures come from.
                "algorithms": (REFERENCE, "NF0", "NFD0"),
            },
            "latency": {
                "partitions": 32,
                "iterations": 100,
                "deltas": (5,),
                "replicates": 100,
                "algorithms": (REFERENCE, "kd_1..kd_32"),
            },
        },
    ),
    Preset(
        "nightly",
        "1,000 streams per δ: narrow intervals",
        {
            "tradeoff": {
                "partitions": 32,
                "iterations": 500,
                "deltas": _SIX_DELTAS,
                "replicates": 1000,
                "algorithms": (REFERENCE,),
            },
        },
    ),
    Preset(
        "frontier",
        "the paper's algorithms and better ones",
        {
            # A bound of Rscore takes seconds at 200 partitions, a tenth of one at 32.
            "uniform-200": _frontier(partitions=200, bound_iterations=1, bound_algorithms=()),
            "uniform-32": _frontier(
                partitions=32,
                bound_iterations=2,
                bound_algorithms=("BFD", "MBF", "MWF", "SR_1", "SR_inf"),
            ),
            # Experiments of their own: streams that differ in their start share their steps.
            "start-0": _frontier(partitions=32, initial_rates=(0,)),
            "start-50": _frontier(partitions=32, initial_rates=(50,)),
            "start-100": _frontier(partitions=32, initial_rates=(100,)),
            "unclipped": _frontier(partitions=32, clip=False),
        },
    ),
    Preset(
        "smoke",
        "small test of the installation",
        {
            "tradeoff": {
                "partitions": 16,
                "iterations": 30,
                "deltas": (0, 5, 25),
                "replicates": 2,
                "algorithms": (REFERENCE,),
            },
            "latency": {
                "partitions": 8,
                "iterations": 20,
                "deltas": (5,),
                "replicates": 3,
                "algorithms": (REFERENCE, "kd_1..kd_8"),
            },
        },
    ),
    Preset(
        AUTOSCALING,
        "strategies with parameters, six profiles",
        scaling_presets.PROFILES_BY_SPLIT,
        family="autoscaling",
    ),
    Preset(
        PAPERS,
        "Ezzeddine 2024, on files of --trace",
        scaling_presets.PAPERS,
        family="autoscaling",
    ),
    Preset(
        CLAIMS,
        "verdicts on Ezzeddine 2024 over 30 seeds",
        scaling_presets.CLAIMS,
        family="autoscaling",
    ),
    Preset(
        LONG_CLAIMS,
        "the same on two hours: Table 3",
        scaling_presets.LONG_CLAIMS,
        family="autoscaling",
    ),
    Preset(
        BAD_HOUR,
        "ten strategies in events at a busy hour",
        scaling_presets.BAD_HOUR,
        family="autoscaling",
    ),
    Preset(
        "autoscaling-smoke",
        "small test of the installation",
        scaling_presets.SMOKE,
        family="autoscaling",
    ),
    Preset(
        LIVE,
        "algorithms on a Kafka broker, 30 minutes",
        live_presets.STRATEGIES,
        family="live",
    ),
    Preset(
        "live-agreement",
        "simulators against a broker, 11 minutes",
        live_presets.AGREEMENT,
        family="live",
    ),
    Preset(
        "live-capacity",
        "speed of one consumer, 13 minutes",
        live_presets.CAPACITY,
        family="live",
    ),
    Preset(
        "live-paper",
        "live at the paper's capacities, 3 hours",
        live_presets.PAPER,
        family="live",
    ),
    Preset(
        "live-response",
        "how fast partitions move, 10 minutes",
        live_presets.RESPONSE,
        family="live",
    ),
    Preset(
        "live-smoke",
        "small test with a broker, 90 seconds",
        live_presets.SMOKE,
        family="live",
    ),
    Preset(
        "group",
        "a group whose assignor asks, 80 minutes",
        asking_presets.ONCE,
        family="live",
    ),
    Preset(
        "group-night",
        "group with verdicts, 5 repeats, 14 hours",
        asking_presets.NIGHT,
        family="live",
    ),
    Preset(
        "group-night-2h",
        "Table 3 of a paper, one repeat, 12 hours",
        asking_presets.TWO_HOURS,
        family="live",
    ),
    Preset(
        "group-smoke",
        "small test of such a group, 3 minutes",
        asking_presets.SMOKE,
        family="live",
    ),
    Preset(
        "bad-hour-live",
        "events of a bad hour on a broker, 7 minutes",
        asking_presets.BAD_HOUR,
        family="live",
    ),
    Preset(
        LEARNING,
        "agents and a paper's claims, 20 minutes",
        learning_presets.CLAIMS,
        family="learning",
    ),
    Preset(
        "learning-paper",
        "learning, also with longer training",
        learning_presets.PAPER,
        family="learning",
    ),
    Preset(
        "learning-measured",
        "agents on measured latency of brokers",
        learning_presets.MEASURED,
        family="learning",
    ),
    Preset(
        "learning-smoke",
        "small test of the installation",
        learning_presets.SMOKE,
        family="learning",
    ),
    Preset(
        "learning-groups",
        "agents on a group, and other strategies",
        learning_presets.GROUPS,
        family="learning",
    ),
    Preset(
        "learning-groups-smoke",
        "small test of agents on a group",
        learning_presets.GROUPS_SMOKE,
        family="learning",
    ),
    Preset(
        APPLICATIONS,
        "functions of Russo Russo 2021, scaled",
        application_presets.IMAGES,
        family="applications",
    ),
    Preset(
        PULSAR,
        "policies on Pulsar Functions, 50 minutes",
        pulsar_presets.SCALED,
        family="pulsar",
    ),
    Preset(
        "pulsar-changes",
        "does scaling interrupt, 20 minutes",
        pulsar_presets.CHANGES,
        family="pulsar",
    ),
    Preset(
        "pulsar-night",
        "pulsar unscaled, 3 seeds, 12 hours",
        pulsar_presets.NIGHT,
        family="pulsar",
    ),
    Preset(
        "pulsar-smoke",
        "small test with a Pulsar, 4 minutes",
        pulsar_presets.SMOKE,
        family="pulsar",
    ),
    Preset(
        BROKERS,
        "108 scalings by three kinds of plans, 60 minutes",
        broker_presets.COMPARED,
        family="brokers",
    ),
    Preset(
        "brokers-faults",
        "24 scalings, half of them with a fault",
        broker_presets.FAULTY,
        family="brokers",
    ),
    Preset(
        "brokers-smoke",
        "small test with brokers, 4 minutes",
        broker_presets.SMOKE,
        family="brokers",
    ),
    Preset(
        "brokers-policy-smoke",
        "small test of a policy, 4 minutes",
        broker_presets.POLICY_SMOKE,
        family="brokers",
    ),
    Preset(
        "brokers-online",
        "agents learn on brokers, from 22 hours",
        broker_presets.ONLINE,
        family="brokers",
    ),
)

PRESETS: Mapping[str, Preset] = {preset.name: preset for preset in _ALL}
"""All presets by name, in the order of display."""


def get(name: object) -> Preset:
    """Return a preset. Raises InputError, which lists the presets, if the name is unknown."""
    if not isinstance(name, str) or name not in PRESETS:
        raise InputError(f"`preset` must be one of {', '.join(PRESETS)} (got {named(name)})")
    return PRESETS[name]
