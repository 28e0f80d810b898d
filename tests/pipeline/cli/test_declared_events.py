"""``groupscale simulate --event``: what happens to a group, in the table and in JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pipeline.experiments.autoscaling.answers import recovery_cells
from tests.pipeline.cli.command import Home, call, trace

pytestmark = pytest.mark.unit

CLOCK = "timestamp,rate\n" + "".join(
    f"2026-03-01T{11 + k // 3600:02d}:{k // 60 % 60:02d}:{k % 60:02d}Z,100\n" for k in range(7_200)
)
GROUP = ("--partitions", "4", "--strategy", "constant:initial_replicas=2")


def events(*arguments: str) -> list[dict[str, Any]]:
    done = call("simulate", *arguments, "--json")
    assert done.exit_code == 0, done.output
    entries: list[dict[str, Any]] = json.loads(done.stdout)["strategies"][0]["events"]
    return entries


def test_figures_of_each_event(home: Home) -> None:
    file = str(trace(home, CLOCK))
    outage, crash = events(
        file, *GROUP, "--event", "crash@daily@12:45", "--event", "outage@12:00:5m"
    )
    assert (outage["kind"], outage["at_s"]) == ("outage", 3_600.0)
    assert outage["declared"] == "outage@12:00:5m"
    # 30,000 events wait; 300 events/s are left for them.
    assert outage["lag_gone_after_s"] == 400.0
    assert outage["greatest_age_s"] == pytest.approx(300.0, abs=0.01)
    assert (crash["kind"], crash["at_s"]) == ("crash", 6_300.0)
    assert 45.0 < crash["greatest_age_s"] < 60.0


def test_the_table_names_strategy_event_and_time(home: Home) -> None:
    done = call("simulate", str(trace(home, CLOCK)), *GROUP, "--event", "outage@12:55:5m")
    assert done.exit_code == 0, done.output
    assert "constant:initial_replicas=2: outage at 2026-03-01 12:55" in done.stdout
    assert recovery_cells.MEANING.split(".")[0] in done.stdout
    assert "–: not before the workload ends." in done.stdout


def test_without_events_the_answer_is_as_before(home: Home) -> None:
    done = call("simulate", str(trace(home, CLOCK)), *GROUP, "--json")
    assert "events" not in json.loads(done.stdout)["strategies"][0]


def test_restarts_that_overlap_are_refused(home: Home) -> None:
    done = call(
        *("simulate", str(trace(home, CLOCK)), *GROUP),
        *("--event", "restart@12:00", "--event", "restart@3601s"),
    )
    assert done.exit_code == 2
    assert done.stderr == (
        "Error: --event restart@3601s: begins at 3601 s, when a restart is under way; begin it "
        "when the one before is over\n"
    )
