"""The picture of simulations: what it shows."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from xml.etree import ElementTree

import numpy as np
import pytest

from pipeline.experiments.autoscaling.simulation import (
    candidate_runs,
    clock_axis,
    simulation_plot,
    simulation_settings,
)
from pipeline.experiments.autoscaling.simulation.candidate_runs import CandidateRun
from pipeline.experiments.autoscaling.workloads.workload_source import Workload

pytestmark = pytest.mark.unit

SVG = "{http://www.w3.org/2000/svg}"
GROUP = simulation_settings.check_alone({})


def simulated(rates: np.ndarray, *texts: str) -> tuple[Workload, list[CandidateRun]]:
    workload = Workload("<a & b>", rates, 1.0, None)
    compared = candidate_runs.parse(texts, rates.shape[1], GROUP)
    return workload, candidate_runs.run(workload, compared, {})


def waves(steps: int) -> np.ndarray:
    total = 300.0 + 250.0 * np.sin(np.arange(steps) / 40.0)
    return np.repeat(total[:, np.newaxis] / 4, 4, axis=1)


def lines(picture: ElementTree.Element) -> list[list[tuple[float, float]]]:
    return points_of(picture, "polyline")


def areas(picture: ElementTree.Element) -> list[list[tuple[float, float]]]:
    """The paper below all, and bands."""
    return points_of(picture, "polygon")


def points_of(picture: ElementTree.Element, name: str) -> list[list[tuple[float, float]]]:
    polylines = []
    for line in picture.iter(f"{SVG}{name}"):
        pairs = (point.split(",") for point in line.attrib["points"].split())
        polylines.append([(float(x), float(y)) for x, y in pairs])
    return polylines


def texts_of(picture: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in picture.iter(f"{SVG}text")]


@pytest.mark.parametrize("steps", [1, 50, 1_000, 5_000])
def test_a_line_per_strategy_and_panel(steps: int) -> None:
    names = ("linear", "constant", "headroom")
    picture = ElementTree.fromstring(simulation_plot.draw(*simulated(waves(steps), *names)))
    drawn = lines(picture)
    assert len(drawn) == 5 * len(names) + 1
    assert max(map(len, drawn)) <= 500
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    for line in drawn:
        for x, y in line:
            assert 0.0 <= x <= width
            assert 0.0 <= y <= height
    said = texts_of(picture)
    assert "lag in seconds, of all partitions together" in said
    for label in ("replicas", "lag as each step ends, events", "late events/s, by their departure"):
        assert label in said
    assert "rate, and capacity of the replicas, events/s" in said
    for name in names:
        assert any(text.startswith(f"{name}: ") for text in said)


def test_a_short_peak_in_a_long_series_is_as_high_as_the_axis_says() -> None:
    """A step of 20,000 has the peak: thinning would most likely lose it."""
    rates = np.full((20_000, 4), 10.0)
    rates[12_345] = 250.0
    picture = ElementTree.fromstring(simulation_plot.draw(*simulated(rates, "constant")))
    rate, lag = areas(picture)[2], lines(picture)[3]
    for line in (rate, lag):
        x, y = min(line, key=lambda point: point[1])
        others = [height for place, height in line if abs(place - x) > 5.0]
        assert y < min(others) - 50.0
        left, right = min(line)[0], max(line)[0]
        assert (x - left) / (right - left) == pytest.approx(12_345 / 20_000, abs=0.005)


def test_names_are_texts_and_not_elements() -> None:
    picture = simulation_plot.draw(*simulated(waves(20), "constant"))
    title = ElementTree.fromstring(picture).find(f"{SVG}title")
    assert title is not None
    assert (title.text or "").startswith("<a & b>: 20 steps of 1 s, 4 partitions")


def test_the_words_of_the_picture_are_the_results() -> None:
    """Legend and description, from all steps of each simulation."""
    workload, runs = simulated(waves(2_000), "constant", "headroom")
    picture = ElementTree.fromstring(simulation_plot.draw(workload, runs))
    description = picture.findtext(f"{SVG}desc") or ""
    entry = re.compile(r"(\w+): ([\d.]+) % within ([\d.]+) s, ([\d,.]+) replica-minutes")
    matches = entry.findall(description)
    assert [name for name, *_ in matches] == ["constant", "headroom"]
    for run, (name, *numbers) in zip(runs, matches, strict=True):
        share, within_s, minutes = (float(number.replace(",", "")) for number in numbers)
        steps = run.detailed.trajectory
        # What still waits at the end is late, too.
        late = steps.late.sum() + steps.lag[-1]
        assert share == pytest.approx(100.0 * (1.0 - late / steps.arrived.sum()), abs=0.3)
        assert share == pytest.approx(run.detailed.result.sla_percent, abs=0.005)
        assert within_s == run.settings.wsla_s
        assert minutes == pytest.approx(steps.replicas.sum() * workload.step_s / 60.0, rel=0.02)
        assert minutes == pytest.approx(run.detailed.result.replica_minutes, rel=5e-4)
        assert any(text.startswith(f"{name}: {numbers[0]} %") for text in texts_of(picture))
    assert matches[0][1:] != matches[1][1:]


def test_a_panel_without_late_events_says_so() -> None:
    rates = np.full((20, 4), 1.0)
    said = texts_of(ElementTree.fromstring(simulation_plot.draw(*simulated(rates, "constant"))))
    assert said.count("none") == 3  # neither lag nor late events


@pytest.mark.parametrize(
    ("length_s", "unit"), [(100.0, "s"), (3_000.0, "min"), (40_000.0, "h"), (9e5, "d")]
)
def test_the_time_axis_has_a_unit_that_fits(length_s: float, unit: str) -> None:
    workload = Workload("w", waves(50), length_s / 50, None)
    compared = candidate_runs.parse(["constant"], 4, GROUP)
    runs = candidate_runs.run(workload, compared, {})
    picture = ElementTree.fromstring(simulation_plot.draw(workload, runs))
    assert f"time, {unit}" in texts_of(picture)
    ticks = [text for text in texts_of(picture) if re.fullmatch(r"[0-9.]+", text)]
    assert ticks


def test_the_same_simulation_is_the_same_picture() -> None:
    first, second = (simulation_plot.draw(*simulated(waves(300), "linear")) for _ in range(2))
    assert first == second


def test_a_recording_with_a_clock_shows_it() -> None:
    """Two hours from half past eight: a tick each quarter of an hour, in UTC."""
    workload, runs = simulated(waves(7_200), "constant")
    started_at = datetime(2026, 3, 2, 8, 30, tzinfo=UTC)
    timed = workload._replace(started_at=started_at, unit="bytes/s")
    said = texts_of(ElementTree.fromstring(simulation_plot.draw(timed, runs)))
    assert {"08:30", "08:45", "10:30", "time, UTC"} <= set(said)
    assert "lag as each step ends, bytes" in said
    assert "rate, and capacity of the replicas, bytes/s" in said
    plain = texts_of(ElementTree.fromstring(simulation_plot.draw(workload, runs)))
    assert "time, min" in plain


@pytest.mark.parametrize(
    ("end_s", "first", "last", "count"),
    [
        (60.0, "08:30:00", "08:31:00", 7),
        (7_200.0, "08:30", "10:30", 9),
        (172_800.0, "12:00", "06:00", 8),
        (28 * 86_400.0, "03-05", "03-26", 4),
    ],
)
def test_ticks_are_round_times_of_the_clock(
    end_s: float, first: str, last: str, count: int
) -> None:
    started_at = datetime(2026, 3, 2, 8, 30, tzinfo=UTC)
    ticks = clock_axis.ticks(started_at, end_s)
    text = clock_axis.writer(started_at, end_s)
    assert (text(ticks[0]), text(ticks[-1]), len(ticks)) == (first, last, count)
    assert 0.0 <= ticks[0] <= ticks[-1] <= end_s


def test_a_group_that_jumps_with_every_step_is_a_line_in_a_band() -> None:
    """KEDA's replicas jump between few and many; a line from each to the next fills the area."""
    workload, runs = simulated(waves(4_800), "constant")
    replicas = np.where(np.arange(4_800) % 3, 9, 1)
    detailed = runs[0].detailed
    jumping = detailed.trajectory._replace(replicas=replicas)
    run = runs[0]._replace(detailed=detailed._replace(trajectory=jumping))
    picture = ElementTree.fromstring(simulation_plot.draw(workload, [run]))
    assert len({y for _, y in lines(picture)[2]}) == 1
    assert len({y for _, y in areas(picture)[3]}) == 2
    said = " ".join(texts_of(picture))
    assert "medians in bands from the least to the greatest" in said
    short = ElementTree.fromstring(simulation_plot.draw(*simulated(waves(50), "constant")))
    assert "medians" not in " ".join(texts_of(short))
