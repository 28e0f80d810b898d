"""Irregular timestamps become iterations of one length, and no data is lost on the way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.inputs import traces
from pipeline.inputs.traces.model import Times, Trace, make
from pipeline.inputs.traces.resample import HOLD, JITTER, median_step
from tests.pipeline.inputs.traces.trace_files import loaded

pytestmark = pytest.mark.unit

NAN = np.nan
PATH = Path("t.csv")


def recorded(at: list[float], rates: NDArray[np.float64] | list[float]) -> Trace:
    cells = np.array(rates, dtype=np.float64).reshape(len(at), -1)
    times = Times("timestamp", np.array(at, dtype=np.float64), "", "")
    return make(PATH, [f"p{j}" for j in range(cells.shape[1])], cells, "wide CSV", times)


def means(at: list[float], rates: list[float], seconds: float) -> list[float]:
    values: list[float] = traces.resampled(recorded(at, rates), PATH, seconds).rates[:, 0].tolist()
    return values


def plain(trace: Trace, seconds: float) -> list[list[float]]:
    """The rule, word by word, for traces without long silences: a loop over tiny stretches."""
    assert trace.times is not None
    place = [at / seconds for at in trace.times.at]
    tolerance = JITTER * min(1.0, (median_step(trace.times) or seconds) / seconds)
    place = [round(x) if abs(x - round(x)) <= tolerance else x for x in place]
    n = int(place[-1]) + 1
    data = [[0.0] * len(trace.partitions) for _ in range(n)]
    seen = [[False] * len(trace.partitions) for _ in range(n)]
    for k, begin in enumerate(place):
        end = place[k + 1] if k + 1 < len(place) else n
        for i in range(n):
            held = min(end, i + 1) - max(begin, i)
            if held > 0:
                for j, rate in enumerate(trace.rates[k]):
                    if not np.isnan(rate):
                        data[i][j] += held * rate
                        seen[i][j] = True
    rows = zip(data, seen, strict=True)
    return [[d if s else NAN for d, s in zip(*row, strict=True)] for row in rows]


@st.composite
def irregular(draw: st.DrawFn) -> tuple[Trace, float]:
    """Traces without long silences, and a length of their iterations: short, or many steps."""
    seconds = draw(st.sampled_from([0.1, 1.0, 30.0, 86_400.0]))
    scale = draw(st.sampled_from([1.0, 1 / 120]))
    step = st.floats(0.02, HOLD, exclude_max=True)
    steps = np.array(draw(st.lists(step, min_size=0, max_size=12))) * scale
    start = draw(st.sampled_from([1.0, 0.98])) if scale < 1 else 0.0
    at = (np.concatenate(([0.0], start + np.cumsum(steps))) * seconds).tolist()
    rate = st.one_of(st.just(NAN), st.floats(0, 1e9))
    p = draw(st.integers(1, 3))
    cells = draw(st.lists(rate, min_size=len(at) * p, max_size=len(at) * p))
    rates = np.array(cells).reshape(len(at), p)
    rates[0, 0] = 5.0
    return recorded(at, rates), seconds


@given(irregular())
def test_iterations_are_what_the_rule_says(case: tuple[Trace, float]) -> None:
    trace, seconds = case
    resampled = traces.resampled(trace, PATH, seconds).rates
    np.testing.assert_allclose(resampled, plain(trace, seconds), rtol=1e-9, atol=1e-6)


@given(irregular())
def test_data_is_conserved(case: tuple[Trace, float]) -> None:
    """Sum of rate × time by the true times: each is moved by 1 % of the shorter step at most.

    So at each measurement no more than what the rate changes by there, for so long, is off.
    """
    trace, seconds = case
    assert trace.times is not None
    resampled = traces.resampled(trace, PATH, seconds).rates
    ends = np.append(trace.times.at[1:], len(resampled) * seconds)
    rates = np.nan_to_num(trace.rates)
    before = (rates * (ends - trace.times.at)[:, np.newaxis]).sum(axis=0)
    after = np.nansum(resampled, axis=0) * seconds
    moved = JITTER * min(seconds, median_step(trace.times) or seconds)
    bound = moved * np.abs(np.diff(rates, axis=0)).sum(axis=0)
    assert (np.abs(after - before) <= bound * (1 + 1e-9) + 1e-9 * before + 1e-6).all()


def test_no_measurement_is_lost_where_an_iteration_has_many() -> None:
    """Within 1 % of an hour there are three measurements of a trace of half minutes."""
    at = [30.0 * k for k in range(240)]
    rates = [100.0 if 3570 <= t < 3630 else 0.0 for t in at]
    assert means(at, rates, 3600) == pytest.approx([100 * 30 / 3600] * 2)


@given(
    step=st.sampled_from([0.1, 1.0, 30.0, 60.0, 1 / 3]),
    start=st.integers(0, 10**9),
    jitter=st.lists(st.floats(-0.4, 0.4), min_size=1, max_size=40),
)
def test_regular_times_keep_their_rates_bit_for_bit(
    step: float, start: int, jitter: list[float]
) -> None:
    """Off by less than 1 % of a step is regular: clocks are not better than that."""
    n = len(jitter)
    for off in (0.0, JITTER):
        at = (np.arange(n) + np.array(jitter) * off) * step
        at[0] = 0.0
        trace = recorded(at.tolist(), (np.arange(n) * np.pi + start).tolist())
        assert traces.resampled(trace, PATH, step) is trace


def test_a_mean_is_weighted_by_time() -> None:
    assert means([0, 45, 60], [1, 2, 3], 30) == [1.0, 1.5, 3.0]
    assert means([0, 10, 20, 30], [1, 2, 6, 5], 30) == pytest.approx([3.0, 5.0])
    assert means([0, 60], [7, 8], 30) == [7.0, 7.0, 8.0]


def test_a_partition_that_exists_for_a_part_of_an_iteration_counts_for_that_part() -> None:
    resampled = traces.resampled(recorded([0, 15, 45, 60], [8, NAN, NAN, 2]), PATH, 30).rates[:, 0]
    np.testing.assert_array_equal(resampled, [4.0, NAN, 2.0])


def test_after_a_silence_iterations_begin_anew() -> None:
    # Four minutes without a measurement, at 30 s: what held then is not known.
    assert means([0, 30, 300, 345], [1, 2, 3, 4], 30) == [1.0, 2.0, 3.0, 3.5]
    # Three iterations are bridged.
    assert means([0, 30, 120], [1, 2, 3], 30) == [1.0, 2.0, 2.0, 2.0, 3.0]


def test_a_regular_trace_with_silences_keeps_its_rates() -> None:
    trace = recorded([0, 30, 60, 1000, 1030], [1, 2, 3, 4, 5])
    assert traces.resampled(trace, PATH, 30.0) is trace


def test_short_iterations_repeat_what_holds() -> None:
    assert means([0, 60, 120], [1, 2, 3], 10) == [1.0] * 6 + [2.0] * 6 + [3.0]


def test_the_usual_step_is_one_that_occurs() -> None:
    def step(at: list[float], column: str = "timestamp") -> float | None:
        return median_step(Times(column, np.array(at), "", ""))

    assert step([0, 30, 60, 91, 120]) == 30
    assert step([0, 1, 91]) == 1
    assert step([0, 0.1, 0.2, 0.3]) == 0.1
    assert step([0]) is None
    assert step([0, 1, 2], "iteration") is None
    assert median_step(None) is None


def test_what_has_no_seconds_stays_as_it_is(tmp_path: Path) -> None:
    for text in ("iteration,a\n1,5\n2,6\n40,7\n", "timestamp,a\n5,5\n"):
        trace = loaded(tmp_path, text)
        assert traces.resampled(trace, PATH, 30.0) is trace
    trace = loaded(tmp_path, '[{"t": {"0": 5}}, {"t": {"0": 6}}]')
    assert trace.times is None
    assert traces.resampled(trace, PATH, 30.0) is trace


@pytest.mark.parametrize(
    ("texts", "at"),
    [
        (["10", "9", "100.5"], [0, 1, 91.5]),
        (["1662395684.123456788", "1662395684.123456789", "1662395685"], [0, 1e-9, 0.876543212]),
        (["2022-09-05 16:34:44", "2022-09-05T16:34:45.25", "2022-09-06"], [0, 1.25, 26716]),
        (["2022-09-05T16:34:44Z", "2022-09-05T17:34:45+01:00", "2022-09-05T17Z"], [0, 1, 1516]),
        (["2022-01-01T00:00:00.123456788Z", "2022-01-01T00:00:01Z"], [0, 0.876543212]),
    ],
)
def test_seconds_of_timestamps(tmp_path: Path, texts: list[str], at: list[float]) -> None:
    wide = "timestamp,p\n" + "".join(f"{text},1\n" for text in texts)
    long = "timestamp,partition,rate\n" + "".join(f"{text},p,1\n" for text in texts)
    for text in (wide, long):
        times = loaded(tmp_path, text).times
        assert times is not None
        assert times.in_seconds
        assert times.at.tolist() == pytest.approx(at, abs=1e-12)
        assert {times.first, times.last} <= set(texts)


def test_too_many_iterations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = recorded([0, 1e9, 2e9], [1, 2, 3])
    with pytest.raises(InputError, match=r"t.csv: .*1,000,000 iterations of 0.001 s"):
        traces.resampled(trace, PATH, 1e-3)
    monkeypatch.setattr(limits, "MAX_RATES", 3)
    with pytest.raises(InputError, match=r"4 iterations of 30 s = 4"):
        traces.resampled(recorded([0, 90], [1, 2]), PATH, 30.0)
