"""Incidents as they are written, and when they happen."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation import incident_texts, incident_times
from algorithms.simulation.incident_kinds import (
    KINDS,
    Blind,
    Crash,
    Limit,
    Outage,
    Parameters,
    Restart,
    Spot,
    WarmUp,
)
from algorithms.simulation.incident_texts import When
from algorithms.simulation.incident_times import RETENTION_S, Recording

pytestmark = pytest.mark.unit

STARTED_S = datetime(2026, 3, 1, 6, tzinfo=UTC).timestamp()
DAYS = Recording(2 * 86_400.0, STARTED_S)


@pytest.mark.parametrize(
    ("text", "parameters"),
    [
        ("outage", Outage()),
        ("outage:15m", Outage(outage_s=900.0)),
        ("outage:for=1h30m", Outage(outage_s=5_400.0)),
        ("crash", Crash()),
        ("limit:840", Limit(limit_rate=840.0)),
        ("limit:rate=840:for=90s", Limit(limit_rate=840.0, limit_s=90.0)),
        ("blind", Blind()),
        ("blind:10m,kind=stale", Blind(blind_s=600.0, reads="stale")),
        ("spot:notice=60,share=0.5", Spot(notice_s=60.0, share=0.5)),
        ("restart", Restart()),
        ("restart:surge=1,unavailable=0,pause_s=5", Restart(surge=1, unavailable=0, pause_s=5.0)),
        ("restart:50%", Restart(surge="50%")),
        ("warm_up:30,from=0.5", WarmUp(rise_s=30.0, first_share=0.5)),
    ],
)
def test_parameters(text: str, parameters: Parameters) -> None:
    assert incident_texts.parse(text).parameters == parameters


@pytest.mark.parametrize(
    ("text", "when"),
    [
        ("crash", When()),
        ("crash@90m", When(offset_s=5_400.0)),
        ("crash@12:00", When(clock_s=43_200.0)),
        ("crash@daily@9:30", When(clock_s=34_200.0, is_daily=True)),
        ("crash@2026-03-01T12:00", When(moment_s=STARTED_S + 21_600.0)),
        ("outage@12:00:15m", When(clock_s=43_200.0)),
    ],
)
def test_times(text: str, when: When) -> None:
    assert incident_texts.parse(text).when == when


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("otage@1h", "the kind must be one of .*did you mean outage"),
        ("outage@25:00", "the time must be"),
        ("outage@2026-13-01T00:00", "the time must be"),
        ("outage@soon", r"the time must be .*\(got 'soon'\)"),
        ("outage@daily@3h", "the time must be"),
        ("outage:-1", "for must be a number between 0"),
        ("outage:15m,for=1", "for is given twice"),
        ("outage:15m,size=1", "unknown parameter 'size'; choose for"),
        ("crash:1", "unknown parameter '1'; choose none"),
        ("limit", "needs rate"),
        ("limit:0", "rate must be a number above 0"),
        ("restart:101%", "surge must be a share between 0% and 100%"),
        ("restart:1.5", "surge must be an integer"),
        ("restart:unavailable=-1", "unavailable must be an integer between 0"),
        ("warm_up:from=1.5", "from must be a number between 0 and 1"),
        ("warm_up@1h", "leave out its time"),
        ("blind:kind=dark", "kind must be one of missing, stale, zero, partition"),
        ("blind:-1", "for must be a number between 0"),
        ("spot:share=0", "share must be a number between 0.01 and 1"),
        ("spot:share=1.5", "share must be a number between 0.01 and 1"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message) as refused:
        incident_texts.parse(text)
    assert str(refused.value).startswith(f"{text}: ")
    assert "\n" not in str(refused.value)


def test_what_strategies_are_compared_in_can_be_read() -> None:
    texts = [f"{name}:{own}" for name, kind in KINDS.items() for own in kind.tried]
    assert [incident_texts.parse(text.format(rate=840)).kind for text in texts] == [
        name for name, kind in KINDS.items() for _ in kind.tried
    ]


def at_s(text: str, recording: Recording = DAYS, seed: int = 0) -> list[float]:
    placed = incident_times.placed([incident_texts.parse(text)], recording, RETENTION_S, seed)
    return [each.at_s for each in placed]


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("crash@0", [0.0]),
        ("crash@12:00", [6 * 3_600.0]),
        ("crash@05:00", [23 * 3_600.0]),
        ("crash@daily@12:00", [6 * 3_600.0, 30 * 3_600.0]),
        ("crash@2026-03-02T07:00", [25 * 3_600.0]),
        ("limit:5", [0.0]),
        ("warm_up", [0.0]),
    ],
)
def test_placed(text: str, times: list[float]) -> None:
    assert at_s(text) == times


@pytest.mark.parametrize("text", ["outage:900s", "blind:900s", "spot:notice=900s"])
def test_drawn_times_depend_on_the_seed_alone_and_fit(text: str) -> None:
    length = Recording(1_000.0)
    drawn = [at_s(text, length, seed)[0] for seed in range(50)]
    assert drawn == [at_s(text, length, seed)[0] for seed in range(50)]
    assert len(set(drawn)) == 50
    assert min(drawn) >= 0.0
    assert 80.0 < max(drawn) <= 100.0


@pytest.mark.parametrize(
    ("texts", "recording", "message"),
    [
        (["crash@1h"], Recording(3_600.0), r"must begin within the workload, 0 to 3600 s"),
        (["crash@12:00"], Recording(3_600.0), "the workload has no clock"),
        (["crash@2026-02-01T00:00"], DAYS, "must begin within the workload"),
        (["outage@50m:15m"], Recording(3_600.0), "must end within the workload"),
        (["outage@0:20m"], Recording(3_600.0), "events of its first 600 s are lost"),
        (["warm_up", "warm_up:5"], DAYS, "there is warm_up already"),
        (["restart@5", "restart@5"], DAYS, "when a restart is under way"),
        (["restart@5", "spot@5"], DAYS, "when a restart is under way"),
        (["spot@59m"], Recording(3_600.0), r"must end within the workload.*got 3660 s"),
        (["blind@5:1m", "blind@1m:1s"], DAYS, "must begin at 65 s, when blind@5:1m is over"),
    ],
)
def test_incidents_that_cannot_happen(texts: list[str], recording: Recording, message: str) -> None:
    with pytest.raises(InvalidParameterError, match=message):
        incident_times.placed(
            [incident_texts.parse(text) for text in texts], recording, retention_s=600.0
        )


def test_every_kind_names_fields_of_its_parameters() -> None:
    for kind in KINDS.values():
        assert set(kind.names.values()) == set(kind.parameters.__dataclass_fields__)
