"""What of a run the paper's figures are compared with, or why nothing is."""

from __future__ import annotations

import pandas as pd

from pipeline.experiments.assignment.paper.paper_measures import PaperRun, Scores
from pipeline.experiments.assignment.paper.paper_setting import (
    LATENCY_DELTA,
    LATENCY_SETTING,
    RECORDED_DIGEST,
    TRADEOFF_SETTING,
)
from pipeline.experiments.assignment.results import studies
from pipeline.warehouse.runs.run_results import Results
from schemas.verdicts import NOT_COMPARABLE

OWN = ("partitions", "iterations", "clip")
"""Settings of an experiment that do not apply to a recorded trace."""


def of_results(results: Results) -> PaperRun:
    """What Section VI-C is compared with, and Section VI-E."""
    recorded = _recorded(results)
    no_latency, latency = ("", recorded) if recorded is not None else _generated(results)
    return PaperRun(recorded is not None, latency, no_latency, *_scores(results))


def applies(results: Results) -> bool:
    """Whether the stored verdicts say anything about a run: not about somebody's own trace."""
    verdicts = results["published_figures"]["verdict"]
    recorded = all(studies.is_recorded(results, name) for name in results.experiments)
    comparable = bool((verdicts != NOT_COMPARABLE).any())
    return bool(len(verdicts)) and (not recorded or comparable)


def _recorded(results: Results) -> pd.DataFrame | None:
    """Latencies on the authors' recorded stream, if it was run with the paper's setting."""
    same = results["streams"][results["streams"]["digest"] == RECORDED_DIGEST]
    for stream in same.to_dict("records"):
        # A trace brings its own size and is never clipped: these settings do not count.
        if not _differences(results, str(stream["experiment"]), OWN):
            return results["latency"][results["latency"]["stream_id"] == stream["stream_id"]]
    return None


def _differences(results: Results, experiment: str, leave: tuple[str, ...] = ()) -> list[str]:
    printed = {k: v for k, v in LATENCY_SETTING.items() if k not in leave}
    return studies.differences(results.experiments.get(experiment, {}), printed)


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
    rows = results.at(name, delta=LATENCY_DELTA)["latency"]
    rows = rows[rows["initial_rate"] == "uniform"]
    if differing:
        return f"experiment {name}: {'; '.join(differing)}", rows
    missing = f"experiment {name}: no uniform start at δ = {LATENCY_DELTA:g}"
    return ("" if len(rows) else missing), rows


def _scores(results: Results) -> tuple[dict[float, Scores], str]:
    """Scores by δ, and why none can be compared ("" if they can)."""
    study = studies.tradeoff(results)
    if study is None or not study.deltas:
        return {}, "no generated streams with packing algorithms in this run"
    setting = results.experiments.get(study.name, {})
    differing = studies.differences(setting, TRADEOFF_SETTING)
    if differing:
        return {}, f"experiment {study.name}: {'; '.join(differing)}"
    rows = results.at(study.name)["scores"]
    rows = rows[rows["initial_rate"] == "uniform"]
    by_delta = {float(delta): _score_tables(part) for delta, part in rows.groupby("delta")}
    return by_delta, "" if by_delta else f"experiment {study.name}: no uniform start"


def _score_tables(rows: pd.DataFrame) -> Scores:
    by_stream = rows.pivot(index="stream_id", columns="algorithm")
    return Scores(by_stream["cbs"], by_stream["mean_rscore"])
