"""Figures that the paper on assignment publishes, each with how a run is compared with it.

The paper: D. Landau, N. Saurabh, X. Andrade, J. G. Barbosa, *Multi-Objective Optimization of
Consumer Group Autoscaling in Message Broker Systems*, arXiv 2402.06085, 2024. Where our streams
have its setting, numbers are compared with one further stream of ours, and on the authors' own
recorded stream with the printed digits. No interval is widened to fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pipeline.experiments.assignment.paper import paper_measures
from pipeline.experiments.assignment.paper.authors_results import SECTION_VI_E
from pipeline.experiments.assignment.paper.paper_measures import Measure, PaperRun
from pipeline.experiments.assignment.paper.paper_setting import DELTAS, LATENCY_SETTING
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.printed_value import Printed, with_unit, written
from pipeline.reporting.sections.published_figure import LANDAU, PublishedFigure
from pipeline.reporting.sections.tolerances import (
    Tolerance,
    one_more_stream,
    rounded,
    stated,
)

PAPER = (
    "Landau, Saurabh, Andrade, Barbosa: Multi-Objective Optimization of Consumer Group"
    " Autoscaling in Message Broker Systems, arXiv 2402.06085 (2024)"
)

LATENCY_PLACE, TRADEOFF_PLACE = "Section VI-C", "Section VI-E"
"""Where the paper has its latencies, and CBS, Rscore and fronts."""

Figure = PublishedFigure[PaperRun]


class LatencyRow(NamedTuple):
    """Latency, s, of one algorithm in Section VI-C; ``longest`` is None where it has none."""

    mean_consumers: Printed
    n_positive: Printed
    p90: Printed
    longest: Printed | None = None


def _row(*texts: str) -> LatencyRow:
    return LatencyRow(*map(Printed.of, texts))


N_SAMPLES = 3_946_980
"""Samples of every algorithm on the recorded stream."""

LATENCY: Mapping[str, LatencyRow] = {
    "MWF": _row("15.0 to 15.2", "70,000 to 82,000", "4.52"),
    "kd_15": _row("15", "985,555", "217.33"),
    "kd_24": _row("24", "36,905", "2.70"),
    "kd_27": _row("27", "138,904", "36.66", "37.66"),
    "kd_30": _row("30", "51,668", "1.11"),
    "kd_31": _row("31", "0", "0"),
    "kd_32": _row("32", "0", "0"),
}
"""Section VI-C, table of latencies.

MWF meets ties on the whole numbers of the recorded stream, which the authors' code breaks by
hashing: its consumers and samples above 0 are the ranges over such orders.
"""

RECORDED_P90_OF_MWF = "4.515 to 4.520"
"""The range over orders of ties for MWF's 90th percentile on the recorded stream."""

_NOT_PRINTED = "not printed in the paper: from its authors' data"
_ALONE = "each consumer has one partition, whose speed stays below the consumer's"


def _latency(
    key: str, figure: str, algorithm: str, column: str, unit: str, text: str, recorded: bool
) -> Figure:
    """A number of Section VI-C, on the recorded stream or on generated ones like it."""
    # Samples above 0 and the maximum come from the authors' data, as the recorded stream does.
    note = _NOT_PRINTED if column in ("n_positive", "max") else ""
    # Rates are clipped to C, below the speed of a consumer; a recording may have higher ones.
    alone = not recorded and algorithm == f"kd_{LATENCY_SETTING['partitions']}"
    return Figure(
        key=key,
        source=LANDAU,
        place=LATENCY_PLACE,
        workload="recorded stream",
        strategy=algorithm,
        candidate=algorithm,
        figure=figure,
        value=Printed.of(with_unit(text, unit)),
        unit=unit,
        tolerance=rounded if recorded else one_more_stream,
        measure=paper_measures.latency(algorithm, column, note),
        by_construction=_ALONE if alone else "",
    )


def _latencies(recorded: bool) -> Iterator[Figure]:
    samples = "latency samples per algorithm"
    yield _latency("latency_samples", samples, "MWF", "n_samples", "samples", f"{N_SAMPLES:,}",
                   recorded)  # fmt: skip
    for name, row in LATENCY.items():
        tag = name.lower()
        if name == "MWF":
            # Kafka's kd_n has n consumers by construction: nothing to reproduce there.
            yield _latency(f"consumers_{tag}", f"mean consumers of {name}", name,
                           "mean_consumers", "consumers", row.mean_consumers.text,
                           recorded)  # fmt: skip
        yield _latency(f"positive_{tag}", f"samples above 0 s of {name}", name, "n_positive",
                       "samples", row.n_positive.text, recorded)  # fmt: skip
        p90 = RECORDED_P90_OF_MWF if recorded and name == "MWF" else row.p90.text
        yield _latency(f"p90_{tag}", f"90th percentile latency of {name}", name, "p90", "s", p90,
                       recorded)  # fmt: skip
        if row.longest is not None:
            yield _latency(f"max_{tag}", f"maximum latency of {name}", name, "max", "s",
                           row.longest.text, recorded)  # fmt: skip


CBS_OF_MWF = {5.0: "11.8", 25.0: "8.8"}
"""CBS of MWF by δ, in % as printed."""

RSCORE_SAVED_BY_MWF = {5.0: "55", 25.0: "23"}
"""How far MWF's mean Rscore is below that of NFD by δ, in % as printed.

The authors' results (`SECTION_VI_E`) give 55.2 % and 24.0 %: the print cuts off.
"""

LOWEST_CBS = "BFD"
"""Algorithm of the lowest CBS."""

RELEASED = "NFD0"
"""What the authors' results call NFD: their next fit finds consumer 0 open before the first
partition, which Eq. 12-14 do not say."""

ALL_DELTAS = f"δ = {DELTAS[0]:g} to {DELTAS[-1]:g}"


def _tradeoff(
    key: str,
    strategy: str,
    figure: str,
    value: Printed,
    measure: Measure,
    unit: str = "",
    tolerance: Tolerance = stated,
) -> Figure:
    """A figure of Section VI-E; a statement unless it has a unit."""
    return Figure(
        key=key,
        source=LANDAU,
        place=TRADEOFF_PLACE,
        workload="generated streams, uniform start",
        strategy=strategy,
        candidate=strategy,
        figure=figure,
        value=value,
        unit=unit,
        tolerance=tolerance,
        measure=measure,
    )


def _percent(key: str, figure: str, printed: str, share: float, measure: Measure) -> Figure:
    """A percentage of MWF: printed ones are rounded or truncated, so the value behind it counts."""
    exact = round(100 * share, 2)
    text = f"{printed}{numbers.SPACE}% (results: {written(exact, '%', 2)})"
    value = Printed(text, exact, exact, 2)
    return _tradeoff(key, "MWF", figure, value, measure, "%", one_more_stream)


def _saved(other: str, delta: float, printed: str) -> Figure:
    """How far MWF's Rscore is below NFD's: by the equations, or by the authors' released code."""
    suffix, how = ("_released", f"{other} (NFD as released)") if other == RELEASED else ("", other)
    mwf, nfd = (SECTION_VI_E[name, delta].mean_rscore for name in ("MWF", "NFD"))
    return _percent(
        f"rscore_saved_mwf_d{delta:g}{suffix}",
        f"mean Rscore of MWF below that of {how} at δ = {delta:g}",
        printed,
        1 - mwf / nfd,
        paper_measures.saved("MWF", other, delta),
    )


def _named(key: str, figure: str, names: tuple[str, ...], rank: paper_measures.Rank) -> Figure:
    """The algorithms that a ranking names at every δ."""
    ranking = " > ".join(names)
    measure = paper_measures.everywhere(ranking, rank)
    return _tradeoff(key, ", ".join(names), f"{figure}, {ALL_DELTAS}", Printed(ranking), measure)


def _front(name: str, always: bool) -> Figure:
    """Whether an algorithm is on the Pareto front for every δ, or mostly not."""
    text = "at every δ" if always else "mostly not"
    measure = paper_measures.on_front(name, always)
    figure = f"{name} on the Pareto front, {ALL_DELTAS}"
    return _tradeoff(f"front_{name.lower()}", name, figure, Printed(text), measure)


TRADEOFF = (
    *(
        _percent(f"cbs_mwf_d{delta:g}", f"CBS of MWF at δ = {delta:g}", printed,
                 SECTION_VI_E["MWF", delta].cbs, paper_measures.cbs("MWF", delta))
        for delta, printed in CBS_OF_MWF.items()
    ),
    _named("lowest_cbs", "lowest CBS", (LOWEST_CBS,), paper_measures.lowest_cbs),
    _named("highest_cbs", "two highest CBS", ("NF", "NFD"), paper_measures.highest_cbs),
    *(_saved("NFD", delta, printed) for delta, printed in RSCORE_SAVED_BY_MWF.items()),
    *(_saved(RELEASED, delta, printed) for delta, printed in RSCORE_SAVED_BY_MWF.items()),
    _named("lowest_rscore_unmodified", "lowest Rscore, unmodified only", ("NFD",),
           paper_measures.least_moving_unmodified),
    *(_front(name, always=True) for name in ("MBFP", "MBF", "MWF")),
    _front("MWFP", always=False),
)  # fmt: skip


def figures(recorded: bool) -> list[Figure]:
    """All figures, in the paper's order, to compare with the recorded stream or generated ones."""
    return [*_latencies(recorded), *TRADEOFF]
