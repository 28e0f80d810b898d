"""Clock, unit and notes of recordings, in reports and MLflow."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.reporting.sections import recording_words
from pipeline.reporting.tracking import run_content
from pipeline.reporting.tracking.content import RunInfo

pytestmark = pytest.mark.unit

CLOCKED = {
    "path": "a.csv",
    "stream_id": "trace-a",
    "started_at": "2026-03-02T08:00:00Z",
    "unit": "messages/s",
    "notes": ["Offsets fall at 08:10.", "One line is left out."],
}
PLAIN = {"path": "b.csv", "stream_id": "trace-b", "started_at": None, "unit": "", "notes": []}


def results(*traces: dict[str, Any]) -> Any:
    return SimpleNamespace(config={"traces": list(traces)})


def test_a_report_tells_when_a_recording_began_and_what_its_reader_noted() -> None:
    assert recording_words.sentences(results(PLAIN, CLOCKED)) == [
        "a.csv: recorded from 2026-03-02T08:00:00Z (UTC), in messages/s.",
        "a.csv: Offsets fall at 08:10.",
        "a.csv: One line is left out.",
    ]
    assert recording_words.sentences(SimpleNamespace(config={})) == []  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("traces", "unit"),
    [
        ((), "bytes/s"),
        ((PLAIN,), "bytes/s"),
        ((CLOCKED,), "messages/s"),
        ((CLOCKED, PLAIN), "bytes/s"),
    ],
)
def test_capacities_have_the_unit_of_the_recordings(
    traces: tuple[dict[str, Any], ...], unit: str
) -> None:
    assert recording_words.unit(results(*traces)) == unit


def test_mlflow_has_tags_of_recordings() -> None:
    long = PLAIN | {"notes": ["x" * 9_000]}
    info = RunInfo("r1", "smoke", 1, 0, {}, {}, [], recordings=(CLOCKED, long))
    tags = run_content.parent(info, None, "", {}, {}).tags
    assert {name: tags[name] for name in tags if name.startswith("trace-a")} == {
        "trace-a.started_at": "2026-03-02T08:00:00Z",
        "trace-a.unit": "messages/s",
        "trace-a.notes": "Offsets fall at 08:10. One line is left out.",
    }
    assert len(tags["trace-b.notes"]) == run_content.MOST_LETTERS
    assert "trace-b.started_at" not in tags
