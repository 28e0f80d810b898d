"""Consumers and migrations of groups that a strategy or Kafka itself manages."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions import agreement, group_size, scaling_prediction
from pipeline.experiments.live.predictions.latency_quantities import Quantities
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    place: Path = tmp_path_factory.mktemp("sizes") / "run"
    settings = synthetic_folders.settings_for(place, partitions=6, iterations=6)
    return run_folder.read(synthetic_folders.make(place, settings=settings))


def scaled(folder: RunFolder, *changes: tuple[float, int]) -> RunFolder:
    """The same run as one of Kafka's own groups, with members from some times on, s."""
    entries: list[dict[str, Any]] = [
        {
            "what": "scale",
            "at_ns": folder.settings.began_ns + round(at_s * synthetic_folders.SECOND),
            "before": 0,
            "after": after,
            "started": [],
            "lag": None,
        }
        for at_s, after in changes
    ]
    return folder._replace(entries=entries)


def test_a_controlled_group_has_what_the_strategy_wanted(folder: RunFolder) -> None:
    assert group_size.is_controlled(folder)
    moved = [e["moves"] for e in folder.said("plan") if e["iteration"] > 0]
    assert group_size.migrations(folder) == sum(moved) > 0


def test_members_are_averaged_over_time_without_the_first_iteration(folder: RunFolder) -> None:
    """Six iterations of 4 s: from 4 s to 24 s."""
    assert group_size.mean_consumers(scaled(folder, (-5.0, 3))) == 3.0
    assert group_size.mean_consumers(scaled(folder, (-5.0, 3), (2.0, 4), (14.0, 2))) == 3.0
    assert group_size.mean_consumers(scaled(folder, (-5.0, 2), (30.0, 0))) == 2.0
    assert not group_size.is_controlled(scaled(folder, (-5.0, 3)))


def test_replica_minutes_are_those_of_all_iterations(folder: RunFolder) -> None:
    """Six iterations of 4 s: from 0 to 24 s."""
    assert group_size.replica_minutes(scaled(folder, (-5.0, 3))) == pytest.approx(1.2)
    changed = scaled(folder, (-5.0, 1), (6.0, 3), (18.0, 2), (24.0, 0))
    assert group_size.replica_minutes(changed) == pytest.approx((6 + 3 * 12 + 2 * 6) / 60)


def test_resizings_are_those_within_the_iterations(folder: RunFolder) -> None:
    """The group's start and end are none, nor is a change to the same number."""
    assert group_size.resizings(scaled(folder, (-5.0, 3))) == (0, 0)
    changes = ((-5.0, 1), (0.0, 3), (6.0, 3), (7.0, 4), (18.0, 2), (23.9, 0))
    assert group_size.resizings(scaled(folder, *changes)) == (2, 1)


def test_rebalances_are_those_for_which_the_leader_placed_partitions(folder: RunFolder) -> None:
    def asked(at_s: float) -> dict[str, Any]:
        at_ns = folder.settings.began_ns + round(at_s * synthetic_folders.SECOND)
        return {"what": "member", "kind": "asked", "consumer": 0, "noted_ns": at_ns}

    assert group_size.rebalances(folder) is None
    times_s = (-1.0, 0.0, 23.9, 24.0)
    assert group_size.rebalances(folder._replace(entries=[*map(asked, times_s)])) == 2


def test_a_member_starts_from_its_launch_until_it_has_joined(folder: RunFolder) -> None:
    """Those of the beginning do not count, nor does an earlier member of the same slot."""

    def member(at_s: float, slot: int, kind: str) -> dict[str, Any]:
        at_ns = folder.settings.began_ns + round(at_s * synthetic_folders.SECOND)
        return {"what": "member", "kind": kind, "consumer": slot, "noted_ns": at_ns}

    # Three members, two of which end at 4 s; two start at 8 s and one at 12 s, which never joins.
    sizes = [(0, 3), (3, 1), (1, 3), (3, 4)]
    times_s = (-5.0, 4.0, 8.0, 12.0)
    run = scaled(folder, *((at_s, after) for at_s, (_, after) in zip(times_s, sizes, strict=True)))
    scales = [
        {**e, "before": before, "started": list(range(before, after))}
        for e, (before, after) in zip(run.entries, sizes, strict=True)
    ]
    members = [
        *(member(-4.0, slot, "assigned") for slot in range(3)),
        member(8.1, 1, "revoked"),
        member(8.5, 1, "assigned"),
        member(9.25, 2, "assigned"),
        member(11.0, 1, "assigned"),
    ]
    starts = group_size.member_starts(folder._replace(entries=[*scales, *members]))
    assert starts == pytest.approx([0.5, 1.25])


def test_moves_of_a_group_of_kafka_are_those_in_evidence(folder: RunFolder) -> None:
    """Every partition here has records in each tenure."""
    assert group_size.migrations(scaled(folder, (-5.0, 3))) == group_size.migrations(folder)
    none = folder._replace(entries=[], records=folder.records.at(np.array([], np.int64)))
    assert group_size.migrations(none) == 0


def test_a_group_of_kafka_is_compared_with_the_replay_alone(folder: RunFolder) -> None:
    agreements = {
        one.quantity: one
        for one in agreement.agreements(scaled(folder, (-5.0, 3)), "kafka_848_3", 0.05, True)
    }
    assert all(one.by_assignment is None for one in agreements.values())
    assert agreements["consumers"].verdict is None
    assert agreements["migrations"].verdict is None
    assert {agreements[name].verdict for name in ("p50", "p90", "p99")} == {"agrees"}


def test_a_deployed_group_waits_as_its_own_members_do(
    folder: RunFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Controllers of other runs move partitions faster."""
    gaps_s: list[float] = []

    def predict(*arguments: Any) -> Quantities:
        gaps_s.append(arguments[3])
        return Quantities(3.0, 0.0, 0.1, 0.2, 0.3)

    monkeypatch.setattr(scaling_prediction, "predict", predict)
    label = "keda_http:headroom"
    group = scaled(folder, (-5.0, 3))
    began = {"what": "scaling", "at_ns": 0, "strategy": label}
    deployed = group._replace(entries=[began, *group.entries])
    agreement.agreements(deployed, label, 99.0, True)
    # The same records are those of a controlled run, which has only this gap.
    own_s = agreement.median_gap([folder])
    assert gaps_s == [own_s]
    assert 0.0 < own_s < 1.0
    assert agreement.median_gap([deployed]) == 0.0
    assert agreement.median_gap([folder, deployed]) == own_s


def test_consumers_of_an_autoscaling_strategy_are_averaged_over_time(folder: RunFolder) -> None:
    """Six iterations of 4 s: from 4 s to 24 s; it decides at times of its own."""

    def decided(at_s: float, consumers: int, iteration: int) -> dict[str, Any]:
        at_ns = folder.settings.began_ns + round(at_s * synthetic_folders.SECOND)
        owners = [p % consumers for p in range(6)]
        return {"what": "iteration", "at_ns": at_ns, "iteration": iteration, "wanted": owners}

    entries = [
        {"what": "scaling", "at_ns": 0, "strategy": "linear"},
        *(decided(-5.0, 3, 0), decided(5.0, 1, 1), decided(9.0, 5, 2), decided(24.0, 1, -1)),
    ]
    run = folder._replace(entries=entries)
    assert group_size.is_controlled(run)
    assert group_size.has_own_times(run)
    assert not group_size.has_own_times(folder)
    assert group_size.mean_consumers(run) == pytest.approx((3 * 1 + 1 * 4 + 5 * 15) / 20)
