"""What counts as a controller's death that was answered."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder
from pipeline.experiments.live.faults import controller_deaths
from pipeline.experiments.live.faults.halt_point import MOMENTS
from tests.pipeline.experiments.live import synthetic_folders
from tests.pipeline.experiments.live.synthetic_folders import BEGAN_NS, SECOND

pytestmark = pytest.mark.unit

DEATH_NS = BEGAN_NS + 9 * SECOND
"""In the third of five iterations of 4 s."""

ITERATION, LIMIT_S = 2, 5.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run in which nothing has happened."""
    return run_folder.read(synthetic_folders.make(tmp_path_factory.mktemp("run") / "run"))


def wanted_at(folder: RunFolder, iteration: int) -> list[int]:
    """Owners wanted in an iteration."""
    (entry,) = (e for e in folder.said("iteration") if e["iteration"] == iteration)
    wanted: list[int] = entry["wanted"]
    return wanted


def started(owners: list[int], after_s: float) -> list[dict[str, Any]]:
    """Answers of all owners to the successor."""
    place = {"what": "heard", "kind": "started", "at_ns": DEATH_NS + round(after_s * SECOND)}
    return [{**place, "partition": p, "consumer": owner} for p, owner in enumerate(owners)]


def with_entries(folder: RunFolder, *entries: Entry) -> RunFolder:
    """The same run with a longer journal, in the order of time."""
    return folder._replace(entries=sorted([*folder.entries, *entries], key=lambda e: e["at_ns"]))


def answered(folder: RunFolder, after_s: float = 1.5) -> RunFolder:
    """The run with a successor that completes the plan."""
    return with_entries(folder, *started(wanted_at(folder, ITERATION), after_s))


def wrong(folder: RunFolder) -> list[str]:
    """What is wrong after deaths at all moments, at the same time."""
    deaths = [{"at_ns": DEATH_NS, "moment": moment} for moment in MOMENTS]
    lines = controller_deaths.wrong_after(folder, deaths, LIMIT_S)
    assert len(lines) % len(MOMENTS) == 0
    return [line for line in lines if line.startswith("killed at 'decide'")]


def test_an_answered_death_is_as_expected(folder: RunFolder) -> None:
    assert wrong(answered(folder)) == []


def test_each_moment_must_be_reached(folder: RunFolder) -> None:
    deaths = [{"at_ns": DEATH_NS, "moment": moment} for moment in MOMENTS if moment != "decide"]
    lines = controller_deaths.wrong_after(answered(folder), deaths, LIMIT_S)
    assert lines == [f"no controller was killed at: {MOMENTS['decide']}"]


def test_every_partition_must_be_acknowledged_again(folder: RunFolder) -> None:
    *most, last = started(wanted_at(folder, ITERATION), 1.5)
    line = "killed at 'decide': no plan was completed"
    assert wrong(with_entries(folder, *most)) == [line]
    elsewhere = {**last, "consumer": last["consumer"] + 1}
    assert wrong(with_entries(folder, *most, elsewhere)) == [line]
    assert wrong(with_entries(folder, *most, last)) == []


def test_a_plan_that_is_completed_late(folder: RunFolder) -> None:
    # The next iteration has begun by then.
    late = with_entries(folder, *started(wanted_at(folder, ITERATION + 1), 6.0))
    assert wrong(late) == ["killed at 'decide': a plan was completed after 6.00 s, not 5 s"]


def test_the_plan_of_an_earlier_iteration_does_not_count(folder: RunFolder) -> None:
    """A successor that has consumers answer, and decides nothing more, has not gone on."""
    entries = [e for e in answered(folder).entries if e.get("iteration", 0) < ITERATION]
    assert wrong(folder._replace(entries=entries)) == ["killed at 'decide': no plan was completed"]


def test_every_partition_must_be_read_from(folder: RunFolder) -> None:
    records = folder.records
    later = (records.partition == 1) & (records.read_ns > DEATH_NS)
    late = records._replace(read_ns=records.read_ns + later * 6 * SECOND)
    assert "killed at 'decide': partition 1 was not read from for 5 s" in wrong(
        answered(folder)._replace(records=late)
    )


def test_partitions_at_rest_must_be_read_from_without_a_controller(folder: RunFolder) -> None:
    records = folder.records
    waits = (records.read_ns > DEATH_NS) & (records.read_ns < DEATH_NS + 3 * SECOND)
    read_ns = np.where(waits, DEATH_NS + 3 * SECOND, records.read_ns)
    paused = answered(folder, 2.5)._replace(records=records._replace(read_ns=read_ns))
    lines = [
        f"killed at 'decide': partition {p} was not read from without a controller"
        for p in range(4)
    ]
    assert wrong(paused) == lines
    # One that was to be elsewhere had been stopped.
    entry = {"what": "iteration", "at_ns": DEATH_NS - 1, "iteration": ITERATION, "plan": 9}
    owners = [owner + (p == 1) for p, owner in enumerate(wanted_at(folder, ITERATION))]
    moving = with_entries(paused, {**entry, "wanted": owners}, *started(owners, 2.6))
    assert wrong(moving) == [line for line in lines if "partition 1" not in line]
