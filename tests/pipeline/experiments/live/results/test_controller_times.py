"""Response times of plans against what is required of them."""

from __future__ import annotations

import math

import pandas as pd
import pytest

from pipeline.experiments.live.results.controller_times import NONE, Response, responses
from pipeline.experiments.live.results.live_study import Study
from schemas.verdicts import NOT_COMPARABLE, NOT_REPRODUCED, REPRODUCED

pytestmark = pytest.mark.unit

COLUMNS = ("speeds_known_s", "decided_s", "handed_s", "created_s", "moved_s", "gap_max_s")


def found(mode: str, **times: list[float]) -> dict[str, Response]:
    """Responses of an experiment with the given times of its plans."""
    length = max(map(len, times.values()), default=1)
    rows = {name: times.get(name, [math.nan] * length) for name in COLUMNS}
    plans = pd.DataFrame({"iteration": [2] * length, **rows})
    first = pd.DataFrame({"iteration": [1], **{name: [99.0] for name in COLUMNS}})
    frame = pd.concat([first, plans])
    none = pd.DataFrame()
    study = Study("e", {"mode": mode}, [], none, frame, none, none)
    return dict(zip(COLUMNS, responses(study), strict=True))


def test_plans_of_the_first_iteration_do_not_count() -> None:
    one = found("prompt", decided_s=[0.2, 0.4, 0.6])["decided_s"]
    assert (one.plans, one.median, one.largest) == (3, pytest.approx(0.4), 0.6)
    assert one.p90 == pytest.approx(0.56)


@pytest.mark.parametrize(
    ("mode", "column", "values", "verdict"),
    [
        ("prompt", "decided_s", [0.5, 0.99], REPRODUCED),
        ("cycle", "decided_s", [0.5, 1.0], NOT_REPRODUCED),
        ("prompt", "moved_s", [0.1] * 19 + [0.9], REPRODUCED),
        ("prompt", "moved_s", [0.1, 0.6], NOT_REPRODUCED),
        ("cycle", "moved_s", [2.5, 5.5], REPRODUCED),
        ("cycle", "moved_s", [2.5, 5.6], NOT_REPRODUCED),
        ("cycle", "moved_s", [0.1, 0.2], NOT_REPRODUCED),
        ("prompt", "created_s", [40.0], NOT_COMPARABLE),
        ("cycle", "gap_max_s", [0.1], NONE),
        ("prompt", "moved_s", [], NONE),
    ],
)
def test_verdicts(mode: str, column: str, values: list[float], verdict: str) -> None:
    assert found(mode, **{column: values} if values else {})[column].verdict == verdict


def test_what_the_paper_prints_is_beside() -> None:
    words = [one.published for one in found("prompt").values()]
    assert words[1].startswith("< 1 s")
    assert "5 s" in words[4]


def test_a_note_gives_the_reason_where_figures_are_not_of_the_same_setting() -> None:
    prompt, cycle = (found(mode, created_s=[2.0], moved_s=[2.5]) for mode in ("prompt", "cycle"))
    assert "Kubernetes" in prompt["created_s"].note
    assert "once per cycle" in prompt["moved_s"].note
    assert cycle["moved_s"].note == ""
