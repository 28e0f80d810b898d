"""Verdicts on Section VI-C: latencies, on generated streams or on the authors' recorded one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import pandas as pd

from pipeline.experiments.assignment import published
from pipeline.experiments.assignment.paper.recorded_stream import RECORDED_DIGEST
from pipeline.experiments.assignment.published import LatencyRow
from pipeline.experiments.assignment.results import studies
from pipeline.reporting.sections.figure_verdict import Span, Verdict, exactly, one_more, unknown
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import NOT_COMPARABLE

OWN = ("partitions", "iterations", "clip")
"""Settings of an experiment that do not apply to a recorded trace."""


NOT_PRINTED = "not printed in the paper: from its authors' data"


class _Claim(NamedTuple):
    """One published number: of which algorithm and column of `latency`."""

    key: str
    figure: str
    unit: str
    algorithm: str
    column: str
    span: Span


def latency_verdicts(results: Results) -> list[Verdict]:
    """Verdicts on the published latencies."""
    recorded = _recorded(results)
    if recorded is not None:
        return [
            _sourced(claim, _judge(claim, recorded, _exact)) for claim in _claims(recorded=True)
        ]
    reason, rows = _generated(results)
    if reason:
        return [
            _sourced(
                claim,
                unknown(claim.key, claim.figure, claim.unit, claim.span, NOT_COMPARABLE, reason),
            )
            for claim in _claims()
        ]
    return [_sourced(claim, _judge(claim, rows, _further)) for claim in _claims()]


def _sourced(claim: _Claim, verdict: Verdict) -> Verdict:
    """The verdict with its algorithm; its note says if the paper does not print the figure."""
    verdict = verdict._replace(subject=claim.algorithm)
    if claim.column in published.PRINTED_COLUMNS:
        return verdict
    return verdict._replace(note="; ".join(filter(None, (verdict.note, NOT_PRINTED))))


def _claims(recorded: bool = False) -> Iterator[_Claim]:
    samples = Span.of(published.N_SAMPLES)
    yield _Claim("latency_samples", "latency samples per algorithm", "samples", "MWF",
                 "n_samples", samples)  # fmt: skip
    for name, row in published.LATENCY.items():
        tied = recorded and name == "MWF"
        p90 = published.RECORDED_P90_OF_MWF if tied else row.p90
        yield from _row_claims(name, row._replace(p90=p90))


def _row_claims(name: str, row: LatencyRow) -> Iterator[_Claim]:
    tag = name.lower()
    if studies.is_packing(name):
        # Kafka's kd_n has n consumers by construction: nothing to reproduce there.
        yield _Claim(f"consumers_{tag}", f"mean consumers of {name}", "consumers", name,
                     "mean_consumers", row.mean_consumers)  # fmt: skip
    yield _Claim(f"positive_{tag}", f"samples above 0 s of {name}", "samples", name,
                 "n_positive", row.n_positive)  # fmt: skip
    yield _Claim(f"p90_{tag}", f"90th percentile latency of {name}", "s", name, "p90",
                 row.p90)  # fmt: skip
    if row.longest is not None:
        yield _Claim(f"max_{tag}", f"maximum latency of {name}", "s", name, "max",
                     row.longest)  # fmt: skip


def _judge(
    claim: _Claim, rows: pd.DataFrame, compare: Callable[[_Claim, pd.Series], Verdict]
) -> Verdict:
    there = rows[rows["algorithm"] == claim.algorithm].sort_values("stream_id")
    if there.empty:
        reason = f"not run: {claim.algorithm}"
        return unknown(claim.key, claim.figure, claim.unit, claim.span, NOT_COMPARABLE, reason)
    # The paper prints 0 where no sample is above 0; the table has no percentile there.
    return compare(claim, there[claim.column].fillna(0.0).astype(float))


def _exact(claim: _Claim, values: pd.Series) -> Verdict:
    return exactly(claim.key, claim.figure, claim.unit, claim.span, float(values.iloc[0]))


def _further(claim: _Claim, values: pd.Series) -> Verdict:
    return one_more(claim.key, claim.figure, claim.unit, claim.span, values.to_numpy())


def _recorded(results: Results) -> pd.DataFrame | None:
    """Latencies on the authors' recorded stream, if it was run with the paper's setting."""
    same = results["streams"][results["streams"]["digest"] == RECORDED_DIGEST]
    for stream in same.to_dict("records"):
        # A trace brings its own size and is never clipped: these settings do not count.
        if not _differences(results, str(stream["experiment"]), OWN):
            return results["latency"][results["latency"]["stream_id"] == stream["stream_id"]]
    return None


def _differences(results: Results, experiment: str, leave: tuple[str, ...] = ()) -> list[str]:
    wanted = {k: v for k, v in published.LATENCY_SETTING.items() if k not in leave}
    return studies.differences(results.experiments.get(experiment, {}), wanted)


def _generated(results: Results) -> tuple[str, pd.DataFrame]:
    """Why nothing can be compared ("" if it can), and latencies on streams like the paper's."""
    generated = results["streams"][results["streams"]["source"] == "generated"]
    names = list(dict.fromkeys(generated["experiment"]))
    if not names:
        return "the recorded stream, the capacities or the times differ from those of the paper", (
            results["latency"]
        )
    name = min(names, key=lambda name: len(_differences(results, name)))
    differing = _differences(results, name)
    rows = results.at(name, delta=published.LATENCY_DELTA)["latency"]
    rows = rows[rows["initial_rate"] == "uniform"]
    if differing:
        return f"experiment {name}: {'; '.join(differing)}", rows
    missing = f"experiment {name}: no uniform start at δ = {published.LATENCY_DELTA:g}"
    return ("" if len(rows) else missing), rows
