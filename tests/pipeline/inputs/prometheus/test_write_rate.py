"""The rate that KEDA asks for is right or absent, in the engine of a real Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from pipeline.inputs.prometheus import write_rate
from tests.pipeline.inputs.prometheus import promtool

TOOL = promtool.find()

pytestmark = [
    pytest.mark.prometheus,
    pytest.mark.slow,
    pytest.mark.skipif(TOOL is None, reason="promtool is not installed"),
]

SCRAPE_S, WINDOW_S = 30, 120
Series = dict[tuple[int, str], list[str]]
"""Samples by partition and exporter."""

Case = Callable[[], Series]
Expected = tuple[str, int, float | None]

RATES = (1, 2, 3)
"""Events/s of the partitions."""

END = 40
"""Last scrape; faults are between scrapes 10 and 20."""

NAMES = {
    "kafka_exporter": 'kafka_topic_partition_current_offset{{topic="o",partition="{}",job="{}"}}',
    "kminion": (
        'kminion_kafka_topic_partition_high_water_mark{{topic_name="o",partition_id="{}",job="{}"}}'
    ),
}


def samples(rate: int, first: int = 0, last: int = END, start: int = 100_000) -> list[str]:
    """Samples of a partition by the number of the scrape; `_` before the first."""
    own = [str(start + rate * SCRAPE_S * k) for k in range(first, last + 1)]
    return ["_"] * first + own


def lost(values: Sequence[str], *scrapes: int) -> list[str]:
    return ["_" if k in scrapes else value for k, value in enumerate(values)]


def ended(values: Sequence[str], first: int, last: int = END) -> list[str]:
    """Without what was exposed from a scrape to another: Prometheus knows that the series ended."""
    return [
        "stale" if k == first else "_" if first < k < last else value
        for k, value in enumerate(values)
    ]


def whole(job: str = "a", **others: int) -> Series:
    return {(p, job): samples(rate, **others) for p, rate in enumerate(RATES)}


def steady() -> Series:
    return whole()


def two_exporters() -> Series:
    return {**whole("a"), **whole("b")}


def two_exporters_one_new() -> Series:
    return {**whole("a"), **whole("b", first=12)}


def other_exporter() -> Series:
    """A pod's name is a label: a restarted exporter has other series."""
    old = {key: ended(values, 12) for key, values in whole("a").items()}
    return {**old, **whole("b", first=12)}


def one_scrape_lost() -> Series:
    return {key: lost(values, 12) for key, values in whole().items()}


def scrapes_lost() -> Series:
    return {key: lost(values, 12, 13, 14, 15) for key, values in whole().items()}


def long_gap() -> Series:
    return {key: ended(values, 11, 19) for key, values in whole().items()}


def broker_dead() -> Series:
    """An exporter leaves out a partition without a leader."""
    return {**whole(), (2, "a"): ended(samples(RATES[2]), 12, 17)}


def no_leader_any_more() -> Series:
    return {**whole(), (2, "a"): ended(samples(RATES[2]), 12)}


def truncated() -> Series:
    cut = [*samples(RATES[0], last=11), *samples(RATES[0], start=99_000)[12:]]
    return {**whole(), (0, "a"): cut}


def recreated() -> Series:
    again = {key: samples(RATES[key[0]], first=0, last=END - 12, start=0) for key in whole()}
    return {key: [*values[:12], *again[key]] for key, values in whole().items()}


def recreated_later() -> Series:
    again = {key: samples(RATES[key[0]], last=END - 19, start=5) for key in whole()}
    old = {key: ended(values, 11, 19)[:19] for key, values in whole().items()}
    return {key: [*values, *again[key]] for key, values in old.items()}


CASES = {
    steady: (),
    two_exporters: (),
    two_exporters_one_new: (),
    other_exporter: range(12, 15),
    # It would be the newest sample, and later the oldest.
    one_scrape_lost: (12, 15),
    scrapes_lost: range(12, 19),
    long_gap: range(11, 22),
    broker_dead: range(12, 20),
    no_leader_any_more: range(12, END),
    truncated: range(12, 15),
    recreated: range(12, 15),
    recreated_later: range(11, 22),
}
"""By case, the scrapes after which there is no rate."""


def query(exporter: str = "kafka_exporter", hold_s: float = 0.0) -> str:
    now = write_rate.rate("o", len(RATES), exporter, WINDOW_S, SCRAPE_S)
    return write_rate.greatest(now, hold_s, SCRAPE_S)


def check(folder: Path, case: Case, exporter: str, expected: list[Expected]) -> None:
    series = {NAMES[exporter].format(*key): " ".join(values) for key, values in case().items()}
    assert TOOL is not None
    assert promtool.refuted(TOOL, folder, series, expected, SCRAPE_S) == ""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
@pytest.mark.parametrize("exporter", NAMES)
def test_there_is_never_a_wrong_rate(case: Case, exporter: str, tmp_path: Path) -> None:
    asked, right = query(exporter), sum(RATES)
    wrong = f"({asked}) < {0.999 * right} or ({asked}) > {1.001 * right}"
    check(tmp_path, case, exporter, [(wrong, at, None) for at in range(0, END * SCRAPE_S, 7)])


@pytest.mark.parametrize("hold_s", [0.0, 90.0])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_there_is_a_rate_but_for_the_fault(case: Case, hold_s: float, tmp_path: Path) -> None:
    is_there = f"vector(1) and on() ({query(hold_s=hold_s)})"
    expected: list[Expected] = [
        (is_there, k * SCRAPE_S + 11, None if k in CASES[case] else 1.0) for k in range(5, END)
    ]
    check(tmp_path, case, "kafka_exporter", expected)


def test_the_greatest_rate_is_held(tmp_path: Path) -> None:
    """One partition: 1 event/s, but 5 events/s between scrapes 10 and 20."""

    def risen() -> Series:
        fast = [str(100_000 + 30 * k + 120 * min(max(k - 10, 0), 10)) for k in range(END + 1)]
        return {(0, "a"): fast}

    now = write_rate.rate("o", 1, "kafka_exporter", WINDOW_S, SCRAPE_S)
    held = write_rate.greatest(now, 180.0, SCRAPE_S)
    # From scrape 13 to 20 the whole window is fast, and that is held for 180 s.
    expected: list[Expected] = [(held, k * SCRAPE_S + 11, 5.0) for k in range(13, 26)]
    expected += [(held, k * SCRAPE_S + 11, 1.0) for k in (8, 10, 31, 39)]
    expected += [(now, 25 * SCRAPE_S + 11, 1.0)]
    check(tmp_path, risen, "kafka_exporter", expected)


def test_a_plain_rate_would_be_wrong(tmp_path: Path) -> None:
    """The cases are faults: without the guards, each gives a lower or a higher rate."""
    plain = f"sum(rate(kafka_topic_partition_current_offset[{WINDOW_S}s]))"
    right = sum(RATES)
    for case, blind in CASES.items():
        if not blind and case is not two_exporters:
            continue
        wrong = f"vector(1) and on() ({plain} < {0.98 * right} or {plain} > {1.02 * right})"
        series = {
            NAMES["kafka_exporter"].format(*key): " ".join(values) for key, values in case().items()
        }
        assert TOOL is not None
        expected = [(wrong, at, None) for at in range(150, END * SCRAPE_S, 7)]
        assert promtool.refuted(TOOL, tmp_path, series, expected, SCRAPE_S), case.__name__
