"""How a group gets over events, in evidence and simulations that the test makes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from algorithms.simulation.group_result import Trajectory
from algorithms.simulation.queue_replay import Ownership
from live.asking import group_incidents
from pipeline.experiments.live.evidence.processed_records import NONE, ProcessedRecords
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.predictions import event_recoveries
from pipeline.experiments.live.predictions.asking_prediction import SimulatedGroup
from pipeline.experiments.live.predictions.event_recoveries import Recovery, measured, predicted
from pipeline.experiments.live.predictions.queue_prediction import without
from tests.live.short_settings import short_settings

pytestmark = pytest.mark.unit

SETTINGS = short_settings(
    group_events=("outage@2s:3s", "crash@10s"), iterations=20, iteration_s=1.0, began_ns=5 * 10**9
)
INCIDENTS = group_incidents.of_run(SETTINGS)


def folder(*records: tuple[float, float]) -> RunFolder:
    """A run whose records were due and processed at some times, s."""
    due, done = (np.array(times) for times in zip(*records, strict=True))
    count, zeros = len(records), np.zeros(len(records), np.int32)
    began = SETTINGS.began_ns
    own = ProcessedRecords(
        *(zeros, zeros, np.arange(count), began + (due * 1e9).astype(np.int64)),
        *(began + (done * 1e9).astype(np.int64), began + (done * 1e9).astype(np.int64)),
        *(zeros, zeros),
    )
    return RunFolder(SETTINGS, np.ones((20, 2)), {}, [], {}, own)


def test_a_late_record_counts_with_the_event_in_whose_time_it_is_processed() -> None:
    run = folder((1.0, 1.9), (2.0, 5.5), (4.0, 6.0), (9.0, 9.4), (9.5, 10.5), (12.0, 15.0))
    outage, crash = measured(run, INCIDENTS)
    assert outage == pytest.approx(Recovery(2.0, 3.5, 4.0))
    assert crash == pytest.approx(Recovery(2.0, 3.0, 5.0))


def test_events_that_begin_together_have_the_same_time() -> None:
    both = group_incidents.of_run(
        short_settings(group_events=("crash@10s", "outage@10s:3s"), iterations=20, iteration_s=1.0)
    )
    first, second = measured(folder((9.5, 10.5), (12.0, 15.0)), both)
    assert first == second == pytest.approx(Recovery(2.0, 3.0, 5.0))


def test_an_event_without_late_records_is_gone_at_once() -> None:
    outage, crash = measured(folder((3.0, 3.2)), INCIDENTS)
    assert outage == pytest.approx(Recovery(0.0, 0.2, 0.0))
    assert crash == Recovery(0.0, 0.0, 0.0)


def test_steps_of_the_simulated_group_belong_to_the_event_before() -> None:
    late, longest_s = np.zeros(40), np.full(40, 0.1)
    # Steps of half a second: one that ends as the outage begins, two within it, one in the crash.
    late[[3, 4, 13, 20]] = (7.0, 1.0, 2.0, 4.0)
    longest_s[[4, 13, 20]] = (0.6, 5.0, 0.7)
    steps = Trajectory(*[np.zeros(40)] * 8)._replace(late=late, longest_s=longest_s)
    group = SimulatedGroup(cast(Any, None), 0.0, 0.0, 0.0, steps, 0.5)
    assert list(predicted(group, INCIDENTS)) == [Recovery(3.0, 5.0, 5.0), Recovery(4.0, 0.7, 0.5)]


def test_a_run_in_which_nothing_happens_has_no_rows(tmp_path: Path) -> None:
    quiet = folder((1.0, 1.1))._replace(settings=short_settings(), records=NONE)
    group = SimulatedGroup(cast(Any, None), 0.0, 0.0, 0.0, Trajectory(*[np.zeros(4)] * 8), 0.5)
    assert list(event_recoveries.compared(quiet, group)) == []
    happened = quiet._replace(settings=SETTINGS)
    assert list(event_recoveries.compared(happened, None)) == []


def test_owners_that_stand_still_have_nothing_meanwhile() -> None:
    ids = np.array([0, 1, 2, 3], np.int32)
    taken, released = np.array([0.0, 0.0, 3.0, 6.0]), np.array([np.inf, 4.0, 9.0, 7.0])
    own = without(Ownership(ids, ids, taken, released), 2.0, 5.0)
    spans = sorted(zip(own.partition.tolist(), own.taken_s, own.released_s, strict=True))
    assert spans == [
        *((0, 0.0, 2.0), (0, 5.0, np.inf), (1, 0.0, 2.0)),
        *((2, 5.0, 9.0), (3, 6.0, 7.0)),
    ]
