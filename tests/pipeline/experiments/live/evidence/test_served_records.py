"""Records that were processed in time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.experiments.live.evidence import run_folder
from pipeline.experiments.live.evidence.latency_sample import compared_records
from pipeline.experiments.live.evidence.run_folder import RunFolder
from pipeline.experiments.live.evidence.served_records import served
from tests.pipeline.experiments.live import synthetic_folders

pytestmark = pytest.mark.slow

MS = 1_000_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    place: Path = tmp_path_factory.mktemp("served") / "run"
    return run_folder.read(synthetic_folders.make(place))


def completed(folder: RunFolder, *times_ms: int) -> RunFolder:
    """The same run, with these times from due to processed in turn, up to its own last place."""
    due = folder.records.due_ns
    times = np.resize(np.array(times_ms, np.int64) * MS, len(due))
    return folder._replace(records=folder.records._replace(done_ns=due + times))


def test_the_objective_itself_is_in_time(folder: RunFolder) -> None:
    assert served(completed(folder, 500), 0) == (100.0, 0.5)
    assert served(completed(folder, 501), 0) == (0.0, 0.501)


def test_the_service_of_a_record_counts(folder: RunFolder) -> None:
    """Latencies of other tables end when a record is taken up."""
    records = folder.records._replace(read_ns=folder.records.due_ns)
    late = folder._replace(records=records._replace(done_ns=records.due_ns + 900 * MS))
    assert served(late, 0) == (0.0, 0.9)


def test_what_was_not_processed_is_not_in_time(folder: RunFolder) -> None:
    number = compared_records(folder).size
    assert served(completed(folder, 1), number).sla_percent == 50.0
    nothing = folder._replace(records=folder.records.at(np.array([], np.int64)))
    assert served(nothing, 3) == (0.0, None)
    assert served(nothing, 0) == (None, None)
