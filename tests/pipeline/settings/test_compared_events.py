"""Events that strategies are compared in, as a field of an experiment."""

from __future__ import annotations

import pytest

from algorithms.simulation.incident_kinds import KINDS
from pipeline.base.errors import InputError
from pipeline.settings import compared_events
from pipeline.settings.load import resolve
from pipeline.settings.presets import BAD_HOUR

pytestmark = pytest.mark.unit


def events(*sets: str) -> tuple[str, ...]:
    (one,) = resolve(BAD_HOUR, None, list(sets), []).autoscaling
    return one.events


def test_the_preset_has_events_of_all_kinds_over_thirty_seeds() -> None:
    (one,) = resolve(BAD_HOUR, None, [], []).autoscaling
    declared = compared_events.declared(one.events, 720.0)
    assert {each.kind for each in declared} == set(KINDS)
    assert len(declared) == sum(len(kind.tried) for kind in KINDS.values())
    assert (one.bad_hour_seeds, len(one.strategies)) == (30, 10)


def test_a_limit_leaves_nine_tenths_of_the_rate() -> None:
    (limit,) = (each for each in compared_events.declared(("all",), 720.0) if each.kind == "limit")
    assert limit.text == "limit:648:for=15m"


def test_events_are_a_setting() -> None:
    assert events("events=crash,outage:30m") == ("crash", "outage:30m")
    assert events("events=limit:500:for=10m") == ("limit:500:for=10m",)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("boom", "`events`: boom: the kind must be one of outage"),
        ("crash,crash", "`events` contains 'crash' twice; remove one"),
        ("all,crash", "`events` contains 'crash' twice, once in all; remove one"),
        ("crash@5m", "`events`: crash@5m: happens at the busiest hour; leave out its time"),
        ("outage:4d", "`events`: outage:4d: must end within the workload, at most 172800 s"),
        ("limit:0", "`events`: limit:0: rate must be a number above 0"),
        ("5", r"`events\[0\]` must be an event such as outage:15m"),
    ],
)
def test_wrong_events_are_refused(setting: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as refused:
        events(f"events={setting}")
    assert "\n" not in str(refused.value)


def test_the_length_matters_only_where_events_are_compared() -> None:
    assert events("events=outage:4d", "bad_hour_seeds=0") == ("outage:4d",)
