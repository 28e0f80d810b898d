"""What a run's evidence says of changes: gaps, restarts, losses and repeats."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from algorithms.simulation.application_graph import check_application
from pipeline.base.errors import StageError
from pipeline.experiments.pulsar.evidence import application_evidence, change_rows, run_rows
from pipeline.experiments.pulsar.evidence.change_rows import Change

pytestmark = pytest.mark.unit

BEGAN = 1_000_000_000
SECOND = 10**9
ALONE = check_application({"a": {"mu": 1.0}}, [], {"a": [(5.0, 1.0)]})


def line(number: int, instance: int, incarnation: int, began: float, done: float) -> str:
    times = ":".join(str(BEGAN + round(time * SECOND)) for time in (began, done))
    return f"{number};{BEGAN + number * SECOND};;5;r1-a:{instance}:{incarnation}:{times};{BEGAN}"


def write(folder: Path, sent: int, read: list[str]) -> None:
    due = [BEGAN + number * SECOND for number in range(sent)]
    texts = {
        "began.json": json.dumps({"began_ns": BEGAN}),
        "ended.json": json.dumps({"drained": True}),
        "sent.txt": "".join(f"{n};{at};{at};{at}\n" for n, at in enumerate(due)),
        # The last line was cut off by a kill.
        "read.txt": "".join(f"{one}\n" for one in read) + "9;12",
        "journal.jsonl": "",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)


@pytest.fixture
def evidence(tmp_path: Path) -> application_evidence.Evidence:
    """Five events; instance 0 goes on, instance 1 restarts; event 2 comes out twice, 4 never."""
    read = [
        line(0, 0, 7, 0.0, 0.5),
        line(1, 1, 8, 1.0, 1.5),
        line(2, 0, 7, 2.0, 2.5),
        line(3, 1, 9, 3.0, 3.5),
        line(2, 0, 7, 3.6, 4.0),
    ]
    write(tmp_path, 5, read)
    return application_evidence.read(tmp_path)


def test_a_change_with_its_window(evidence: application_evidence.Evidence) -> None:
    (row,) = change_rows.rows(evidence, ALONE, [Change("a", 1.7, 2, 3, 0.1)], 3.0)
    assert (row["kind"], row["kept"], row["restarted"]) == ("up", 1, 1)
    assert row["gap_s"] == pytest.approx(1.0)  # From 2.5 to 3.5 s.
    assert (row["lost"], row["repeated"]) == (1, 1)


def test_windows_that_end_before_count_nothing(evidence: application_evidence.Evidence) -> None:
    (row,) = change_rows.rows(evidence, ALONE, [Change("a", 2.5, 2, 2, None)], 0.5)
    assert (row["kind"], row["gap_s"], row["lost"], row["repeated"]) == ("none", 0.5, 0, 0)


def test_an_event_that_was_on_the_way_counts_at_its_change(
    evidence: application_evidence.Evidence,
) -> None:
    """Event 4 is due at 4 s. Of windows, only those that have ended before a change count."""
    changes = [Change("a", at_s, 2, 2, None) for at_s in (1.0, 4.2, 4.3, 7.0)]
    rows = list(change_rows.rows(evidence, ALONE, changes, 2.0))
    assert [row["lost"] for row in rows] == [0, 1, 1, 0]
    # Its window ends at 3.9 s: what is due later counts at the next change.
    early, late = change_rows.rows(evidence, ALONE, [changes[1], Change("a", 1.9, 2, 3, 0.1)], 2.0)
    assert (early["at_s"], early["lost"], late["lost"]) == (1.9, 0, 1)


def test_what_a_path_never_delivered_is_lost(evidence: application_evidence.Evidence) -> None:
    """Function b, next to a, has put nothing out."""
    functions = {"a": {"mu": 1.0}, "b": {"mu": 1.0}}
    edges = [("images", name) for name in functions]
    both = check_application(functions, edges, {"images": [(5.0, 1.0)]})
    assert change_rows.lost_events(evidence, both) == set(range(5))


def test_losses_and_repeats_of_a_run(evidence: application_evidence.Evidence) -> None:
    assert change_rows.lost_events(evidence, ALONE) == {4}
    assert change_rows.repeats(evidence) == 1


def test_means_agree_within_fifty_milliseconds_and_five_percent() -> None:
    assert run_rows.verdict(1.09, 1.0) == "agrees"
    assert run_rows.verdict(1.11, 1.0) == "differs"
    assert run_rows.verdict(None, 1.0) is None


def test_evidence_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StageError, match="the evidence is incomplete"):
        application_evidence.read(tmp_path)
