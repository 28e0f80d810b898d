"""Deaths of consumers in the events of runs."""

from __future__ import annotations

import math
import signal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from pipeline.base.paths import Paths
from pipeline.experiments.live.results.consumer_deaths import answers, longest_answer
from pipeline.experiments.live.results.live_study import studies
from pipeline.experiments.live.sections import response_section
from pipeline.experiments.live.sections.live_answer import answer
from pipeline.experiments.live.stages import measure_groups
from pipeline.settings.load import resolve
from pipeline.warehouse.storage import reader
from tests.pipeline.experiments.live import live_cases

pytestmark = pytest.mark.unit

Event = tuple[float, str, str, int, int, int | None]
"""Time, component, kind, consumer, incarnation and partition."""

BEGUN: list[Event] = [
    (-1.0, "consumer", "started", 0, 1, 0),
    (-1.0, "consumer", "started", 0, 1, 1),
    (-1.0, "consumer", "started", 1, 1, 2),
]
DEATH: Event = (7.0, "fault", "exited", 0, 1, None)


def frame(*rows: Event, strategy: str = "MWF") -> pd.DataFrame:
    columns = ("time_s", "component", "kind", "consumer", "incarnation", "partition")
    events: list[dict[str, Any]] = [
        {"stream_id": "s", "strategy": strategy, "event": n, **dict(zip(columns, row, strict=True))}
        for n, row in enumerate(rows, 1)
    ]
    return pd.DataFrame(events)


def test_the_last_partition_to_be_started_elsewhere_counts() -> None:
    rows = frame(
        *BEGUN,
        DEATH,
        (7.1, "fault", "lost", 0, 1, None),
        (7.3, "consumer", "started", 1, 1, 1),
        (7.5, "consumer", "started", 2, 1, 0),
        (9.9, "consumer", "started", 0, 2, 0),
    )
    assert answers(rows) == pytest.approx([0.5])


def test_one_that_is_never_started_again() -> None:
    assert answers(frame(*BEGUN, DEATH, (7.3, "consumer", "started", 1, 1, 1))) == [math.inf]


def test_a_consumer_without_partitions_is_not_missed() -> None:
    moved: Event = (3.0, "consumer", "started", 1, 1, 1)
    rows = frame(*BEGUN, (2.0, "consumer", "started", 1, 1, 0), moved, DEATH)
    assert answers(rows) == []
    assert answers(frame(*BEGUN)) == []


def test_runs_are_told_apart() -> None:
    rows = [*BEGUN, DEATH, (7.2, "consumer", "started", 1, 1, 0)]
    again: Event = (8.0, "consumer", "started", 1, 1, 1)
    both = pd.concat([frame(*rows, again), frame(*rows, strategy="SR_1")])
    assert answers(both) == [1.0, math.inf]


def test_a_run_is_as_slow_as_its_slowest_answer(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Events:
        def rows(self, table: str, columns: tuple[str, ...], **where: object) -> pa.Table:
            assert (table, where) == ("live_events", {"run_id": ["r"]})
            return pa.Table.from_pandas(events[list(columns)])

    monkeypatch.setattr(reader, "of", lambda paths: Events())
    rows = [*BEGUN, DEATH, (7.2, "consumer", "started", 1, 1, 0)]
    events = frame(*rows, (8.0, "consumer", "started", 1, 1, 1))
    assert longest_answer(Paths(tmp_path), "r") == pytest.approx(1.0)
    # Without a death, nothing shows how soon one is answered.
    events = frame(*BEGUN)
    assert longest_answer(Paths(tmp_path), "r") is None


def test_a_consumer_dies_in_one_experiment_of_the_preset() -> None:
    live = resolve("live-response", None, [], []).live
    dying = [experiment.name for experiment in live if experiment.death_iteration]
    assert dying == ["death"]


@pytest.mark.parametrize(
    ("running", "killed"),
    [([(0, 1), (0, 2), (1, 1)], (0, 2)), ([(2, 1), (3, 1)], (2, 1))],
)
def test_the_consumer_dies_in_the_middle_of_the_iteration(
    running: list[tuple[int, int]], killed: tuple[int, int]
) -> None:
    sent: list[tuple[Any, ...]] = []
    launcher = SimpleNamespace(running=lambda: running, send=lambda *words: sent.append(words))
    run: Any = SimpleNamespace(launcher=launcher, note=lambda *words, **fields: None)
    changes = ["iteration_seconds=10", "death_iteration=2"]
    (experiment,) = resolve("live-smoke", None, changes, []).live
    script = measure_groups.script_of(experiment)
    assert script is not None
    steps = script(run)
    assert (next(steps), sent) == (15.0, [])
    assert next(steps, None) is None
    assert sent == [(*killed, signal.SIGKILL)]
    (experiment,) = resolve("live-smoke", None, [], []).live
    assert measure_groups.script_of(experiment) is None


@pytest.mark.parametrize(
    ("deaths", "longest", "in_time"),
    [
        ([0.5, 1.9], "1.90 s", "2 of 2"),
        ([0.5, 2.0], "2.00 s", "1 of 2"),
        ([math.inf], "never", "0 of 1"),
    ],
)
def test_deaths_are_among_the_times_and_in_the_answer(
    deaths: list[float], longest: str, in_time: str
) -> None:
    (small,) = studies(live_cases.small())
    study = small._replace(deaths=deaths)
    (table,) = response_section.times(study).tables
    cells = [field.write(table.rows[-1].values).text for field in table.fields]
    assert cells == [str(len(deaths)), "–", "–", longest.replace(" ", "\u00a0")]
    note = f"Deaths of consumers that were answered within 2 s: {in_time}."
    assert note in [words.replace("\u00a0", " ") for words in answer([study]).notes]
    assert len(response_section.times(small).tables[0].rows) == len(table.rows) - 1
    assert not any("Deaths" in words for words in answer([small]).notes)
