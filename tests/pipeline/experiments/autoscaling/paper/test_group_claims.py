"""Which differences an experiment can be compared for."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.experiments.autoscaling.paper.group_claims import Claim, claims, workload_of
from pipeline.inputs.traces.published_workloads import W2
from pipeline.settings.presets import LONG_CLAIMS
from tests.pipeline.experiments.autoscaling.paper.claimed_runs import experiment

pytestmark = pytest.mark.unit


def by_words(
    name: str = "equal-5", workload: str | None = "W1", **changes: Any
) -> dict[str, Claim]:
    return {claim.words: claim for claim in claims(experiment(name, **changes), workload)}


def test_printed_differences_have_their_place_and_values() -> None:
    found = by_words()
    printed = {words: (one.place, dict(one.printed)) for words, one in found.items() if one.printed}
    assert printed == {
        "Algorithm 2 − Linear": (
            "Table 2",
            {"sla_percent": ("97.4", "94.7"), "replica_minutes": ("30.21", "25.5")},
        ),
        "heartbeat 0.5 − 3 s": ("Section 5.2", {"sla_percent": ("98.1", "97.4")}),
        "Algorithm 2 − Algorithm 1, t_r 0.5 s": (
            "Section 5.3",
            {"sla_percent": ("98.2", "90.1"), "replica_minutes": ("34.61", "33.85")},
        ),
        "Algorithm 2 − Algorithm 1, t_r 2 s": (
            "Section 5.3",
            {
                "sla_percent": ("99.4", "85.6 (85.4 in the section before)"),
                "replica_minutes": ("44.7", "34.16"),
            },
        ),
    }


def test_the_advantage_is_split_into_count_and_placement() -> None:
    found = by_words("skew-9")
    whole = found["Algorithm 2 − Linear"]
    count = found["count: Algorithm 2 − Linear, largest first"]
    placement = found["placement: Linear, largest first − range"]
    assert (whole.first, whole.second) == (count.first, placement.second)
    assert count.second == placement.first
    assert whole.place == "Section 5.1"
    assert {"Linear: sticky − range", "Linear: roundrobin − range"} <= found.keys()


def test_late_events_after_scalings_are_those_of_one_strategy() -> None:
    claim = by_words()["late events after a scaling, down − up: Algorithm 2"]
    assert claim.first == claim.second
    assert claim.columns == {"late_after": ("late_after_down", "late_after_up")}


def test_a_candidate_that_is_missing_has_no_claims() -> None:
    assert by_words(strategies=("least_loaded_1", "linear")) == {}
    assert not by_words(strategies=("least_loaded_2", "linear:f_up=0.5")).keys() - {
        "late events after a scaling, down − up: Algorithm 2"
    }


def test_two_hours_have_all_printed_differences() -> None:
    """As many strategies as these need, and what splits the advantage on skewed partitions."""
    found = {
        (name, claim.words): set(claim.printed)
        for name in ("equal-5", "skew-9")
        for claim in claims(experiment(name, LONG_CLAIMS), "W2")
    }
    assert {key for key, printed in found.items() if printed} == {
        ("equal-5", "Algorithm 2 − Linear"),
        ("equal-5", "heartbeat 0.5 − 3 s"),
        ("skew-9", "Algorithm 2 − Linear"),
    }
    assert ("skew-9", "placement: Linear, largest first − range") in found
    assert ("skew-9", "Linear: roundrobin − range") in found


@pytest.mark.parametrize("workload", [None, "W9"])
def test_on_another_workload_nothing_is_printed(workload: str | None) -> None:
    found = by_words(workload=workload)
    assert found
    assert not any(claim.printed or claim.place for claim in found.values())


def test_the_workload_is_that_of_the_paper() -> None:
    assert workload_of(experiment(), None) == "W1"
    assert workload_of(experiment("skew-9"), None) == "W1"
    for name in ("equal-5", "skew-9"):
        assert workload_of(experiment(name, LONG_CLAIMS), None) == "W2"
    assert workload_of(experiment("equal-5", LONG_CLAIMS, iterations=600), None) is None
    assert workload_of(experiment(), W2) == "W2"
    assert workload_of(experiment(high=0.4), None) is None
    assert workload_of(experiment(iterations=599), None) is None
    assert workload_of(experiment(profile="diurnal", claim_seeds=30), None) is None
    assert workload_of(experiment(mu=100.0), None) is None
