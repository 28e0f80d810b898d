"""Recorded workloads and published figures on real tables, with files and figures made up here."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.engine import steps
from pipeline.experiments.autoscaling.kernels import kept_seeds
from pipeline.experiments.autoscaling.paper.open_settings import OPEN_SETTINGS
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from pipeline.warehouse.runs import parsed_traces, record
from pipeline.warehouse.runs.context import RunContext
from pipeline.warehouse.storage import tables
from schemas.tables.common.runs import RUNNING
from schemas.verdicts import EXACT, NOT_COMPARABLE, NOT_REPRODUCED
from tests.pipeline.experiments.autoscaling.paper import published_runs
from tests.schemas import tiny_scaling
from tests.spark.rows import matrix, rows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("few_rows")]

TOTAL = "timestamp,rate\n0,90\n2,180\n4,0\n6,450\n8,900\n"
WIDE = "timestamp,a,b\n0,50,10\n1,60,\n2,,90\n3,20,20\n"


def another(spark: SparkSession, ctx: RunContext, config: RunConfig, run_id: str) -> RunContext:
    """A run that has begun in the same warehouse."""
    fresh = dataclasses.replace(ctx, config=config, run_id=run_id)
    fresh.save()
    record.record(spark, fresh, RUNNING)
    return fresh


def test_recorded_rates_become_a_stream_per_file(
    spark: SparkSession, copied: RunContext, tmp_path: Path
) -> None:
    """A total rate is split over partitions; a partition that is absent receives nothing."""
    files = {tmp_path / "total.csv": TOTAL, tmp_path / "wide.csv": WIDE}
    for file, text in files.items():
        file.write_text(text)
    config = resolve("autoscaling-smoke", None, ["strategies=linear"], list(files))
    ctx = another(spark, copied, config, "recorded")
    parsed_traces.store(ctx)
    steps.run_stage("write_streams", ctx)
    for table in ("streams", "measurements"):
        steps.check(table, ctx)
    measured = dict(iter(rows(ctx, "measurements").groupby("stream_id")))
    total, wide = measured["trace-total-r0001"], measured["trace-wide-r0001"]
    assert total.iteration.tolist() == [1, 2, 3, 4, 5]
    assert matrix(total.rates).tolist() == [[r] * 9 for r in (10.0, 20.0, 0.0, 50.0, 100.0)]
    assert matrix(wide.rates).tolist() == [[50.0, 10.0], [60.0, 0.0], [0.0, 90.0], [20.0, 20.0]]
    streams = rows(ctx, "streams").set_index("stream_id")
    assert streams.loc["trace-total-r0001"].partitions == tuple("012345678")
    assert streams.loc["trace-wide-r0001"].partitions == ("a", "b")
    for stream, source in zip(streams.itertuples(), config.traces, strict=True):
        assert (stream.digest, stream.name) == (source.digest, source.path.name)
        assert stream.seed == config.seed
        assert (stream.source, stream.n_iterations) == ("trace", source.iterations)


def simulation(run_id: str, experiment: str, label: str, **figures: Any) -> dict[str, object]:
    """A row of `simulations` that keeps its contract."""
    first = tiny_scaling.rows(run_id)["simulations"][0]
    return first | published_runs.figures(experiment, label, **figures)


def test_figures_of_a_run_are_compared_with_the_published_ones(
    spark: SparkSession, copied: RunContext
) -> None:
    """Those of its simulations, and of formulas."""
    ctx = another(spark, copied, published_runs.config("W1-equal-5"), "published")
    ours = {"replica_minutes": 25.517, "n_up": 6, "n_down": 5, "least_minutes": None}
    simulated = [simulation(ctx.run_id, "W1-equal-5", published_runs.LINEAR, **ours)]
    frame = tables.of_rows(spark, simulated, "simulations")
    tables.write(spark, frame, "simulations", ctx.paths, ctx.run_id)
    steps.run_stage("compare_figures", ctx)
    steps.check("published_figures", ctx)
    figures = rows(ctx, "published_figures")
    keyed = figures.set_index("figure_key")
    minutes = keyed.loc[f"Table 2: W1, equal 5: {published_runs.LINEAR}: replica_minutes"]
    assert (minutes.published, minutes.ours, minutes.our_value) == ("25.5", "25.517", 25.517)
    assert (minutes.verdict, minutes.difference, minutes.its_strategy) == (EXACT, "=", "Linear")
    down = keyed.loc[f"Table 2: W1, equal 5: {published_runs.LINEAR}: n_down"]
    assert (down.verdict, down.difference) == (NOT_REPRODUCED, "-")
    skewed = figures[figures.its_workload == "W1, skew 9"]
    assert set(skewed.verdict) == {NOT_COMPARABLE}
    assert skewed.our_value.isna().all()
    assert not figures.its_workload.str.startswith("W2").any()
    assert figures.source.str.startswith("G. Neale: KIP-169").sum() == 4


def test_events_at_the_busiest_hour_are_weighed_over_seeds(
    spark: SparkSession, copied: RunContext
) -> None:
    """Two strategies, three seeds and two events of a short workload; a larger one is no slower."""
    sets = [
        *("strategies=constant:initial_replicas=1,constant:initial_replicas=4", "partitions=4"),
        *("high=0.2", "initial_replicas=1", "iterations=1440", "bad_hour_seeds=3"),
        "events=outage:5m,warm_up",
    ]
    config = resolve("bad-hour", None, sets, [])
    ctx = another(spark, copied, config, "bad-hour")
    for stage, table in (
        ("simulate_bad_hours", "bad_hour_runs"),
        ("weigh_bad_hours", "bad_hour_effects"),
    ):
        steps.run_stage(stage, ctx)
        steps.check(table, ctx)
    runs, effects = rows(ctx, "bad_hour_runs"), rows(ctx, "bad_hour_effects")
    assert len(runs) == 2 * 3 * 2
    outage = effects[effects.event == "outage:5m"].set_index("setting")
    small, large = (outage.loc[f"initial_replicas={count}"] for count in (1, 4))
    assert large.lag_gone_after_s <= small.lag_gone_after_s
    assert (large.seeds, large.recovered) == (3, 3)
    assert large.greatest_age_s == pytest.approx(300.0, abs=5.0)
    assert effects[effects.event == "warm_up"].lag_gone_after_s.isna().all()


def test_claims_are_judged_over_seeds(spark: SparkSession, copied: RunContext) -> None:
    """Two strategies, two seeds and all open settings of a short workload."""
    sets = ["strategies=least_loaded_2,linear", "claim_seeds=2", "iterations=40"]
    config = resolve("group-claims", None, sets, [])
    ctx = another(spark, copied, config, "claimed")
    for stage, table in (
        ("simulate_claims", "claim_runs"),
        ("weigh_claims", "claim_differences"),
        ("compare_figures", "published_figures"),
    ):
        steps.run_stage(stage, ctx)
        steps.check(table, ctx)
    kept = sorted(file.name for file in kept_seeds.of_run(spark, ctx).iterdir())
    assert kept == [f"{name}-{number}.arrow" for name in ("equal-5", "skew-9") for number in (1, 2)]
    runs, differences = rows(ctx, "claim_runs"), rows(ctx, "claim_differences")
    assert len(runs) == 2 * 2 * 2 * len(OPEN_SETTINGS)
    one, two = (
        runs[(runs.strategy == name) & (runs.experiment == "skew-9")]
        .set_index(["swept", "number"])
        .replica_minutes
        for name in ("least_loaded_2", "linear")
    )
    apart = (one - two).groupby("swept").mean()
    own = differences[(differences.experiment == "skew-9")]
    own = own[(own.quantity == "replica_minutes") & own.arrivals.notna()].set_index("swept")
    assert own.difference.to_dict() == pytest.approx(apart.to_dict())
    # The workload is too short to be the published one.
    assert rows(ctx, "published_figures").empty
