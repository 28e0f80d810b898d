"""When members had which partitions, from what they noted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipeline.experiments.live.evidence.processed_records import NONE, ProcessedRecords
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions import member_tenures
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

BEGAN_NS = 7 * 10**9
SETTINGS = short_settings(began_ns=BEGAN_NS, revoke_s=0.25, partitions=3)


def said(
    at_s: float, kind: str, partitions: list[int], consumer: int = 0, incarnation: int = 1
) -> dict[str, Any]:
    return {
        "what": "member",
        "kind": kind,
        "consumer": consumer,
        "incarnation": incarnation,
        "partitions": partitions,
        "noted_ns": BEGAN_NS + round(at_s * 1e9),
    }


def folder(*entries: dict[str, Any], records: ProcessedRecords = NONE) -> RunFolder:
    return RunFolder(SETTINGS, np.ones((9, 3)), {}, entries, {}, records)


def tenures(*entries: dict[str, Any], records: ProcessedRecords = NONE) -> list[tuple[float, ...]]:
    own = member_tenures.ownership(folder(*entries, records=records))
    return list(zip(*(column.tolist() for column in own), strict=True))


def test_a_member_has_a_partition_until_it_begins_to_give_it_away() -> None:
    found = tenures(
        said(1.0, "assigned", [0, 1]),
        said(3.0, "revoked", [0, 1]),
        said(3.5, "assigned", [1], consumer=2),
        said(3.5, "assigned", [0]),
        said(4.0, "lost", [0]),
        said(9.0, "revoked", [1], consumer=2),
    )
    assert found == [(0, 0, 1.0, 2.75), (0, 0, 3.5, 4.0), (1, 0, 1.0, 2.75), (1, 2, 3.5, 8.75)]


def test_a_cooperative_member_keeps_what_is_not_revoked() -> None:
    found = tenures(
        said(1.0, "assigned", [0, 1]),
        said(3.0, "revoked", [1]),
        said(3.25, "assigned", []),
        said(4.0, "assigned", [2]),
        said(5.0, "revoked", [0, 2]),
    )
    assert found == [(0, 0, 1.0, 4.75), (1, 0, 1.0, 2.75), (2, 0, 4.0, 4.75)]


def test_a_killed_member_has_its_partitions_until_its_last_record() -> None:
    done = BEGAN_NS + np.array([1.5, 2.0, 6.0]) * 1e9
    zeros = np.zeros(3, np.int64)
    records = ProcessedRecords(
        zeros, zeros, zeros, zeros, zeros, done.astype(np.int64), zeros, zeros
    )
    records = records._replace(incarnation=np.array([1, 1, 2]))
    entries = (
        said(1.0, "assigned", [0, 1]),
        said(1.75, "assigned", [1], consumer=1),
        said(5.0, "assigned", [0], incarnation=2),
    )
    found = tenures(*entries, records=records)
    # The next owner of 1 has it before; its own tenure has no record.
    assert found == [(0, 0, 1.0, 2.0), (0, 0, 5.0, 6.0), (1, 0, 1.0, 1.75), (1, 1, 1.75, 1.75)]


def test_a_tenure_that_ends_at_once_is_empty() -> None:
    assert tenures(said(1.0, "assigned", [0]), said(1.1, "revoked", [0])) == [(0, 0, 1.0, 1.0)]


def test_only_members_of_groups_that_ask_are_known() -> None:
    assert not member_tenures.are_noted(folder(said(1.0, "assigned", [0])))
    assert member_tenures.are_noted(folder(said(1.0, "asked", [])))
    assert tenures() == []
