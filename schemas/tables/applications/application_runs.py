"""Contract of `application_runs`: what each policy costs on an application, and what it gives."""

from functools import partial

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, long, text
from schemas.metric import metric_of
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.applications import application_columns

RESPONSES = ("mean", "p50", "p90", "p99", "max", "peak", "above")

_EMPTY = "No event takes the path."


def _response(name: str, which: str) -> Column:
    meaning = f"{which} of the response times along the path, from an event's source to its end."
    return double(name, "s", meaning, null=_EMPTY)


TABLE = Table(
    name="application_runs",
    meaning="Instances of an application's functions under a policy, and its response times.",
    grain="policy and replicate",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        application_columns.POLICY,
        shared_columns.REPLICATE,
        long(
            "seed",
            "identifier",
            "Seed of the simulation's random numbers: all policies see the same events.",
        ),
        double(
            "mean_instances", "instances", "Instances of all functions together, mean over time."
        ),
        integer("fewest_instances", "instances", "Fewest of them."),
        integer("most_instances", "instances", "Most of them."),
        integer("scalings", "changes", "Changes of the number of instances of a function."),
        text(
            "path",
            "Path that response times are of: that whose functions need the most time to serve an "
            "event, such as shrink > recognise.",
        ),
        long("events", "events", "Events that were completed along the path."),
        _response("mean", "Mean"),
        *(_response(name, f"Percentile {name[1:]}") for name in ("p50", "p90", "p99")),
        _response("max", "Maximum"),
        _response("peak", "Greatest mean over the events completed in 30 s"),
        double(
            "above",
            "ratio",
            "Share of the events whose response time exceeds the experiment's r_max.",
            0,
            1,
            null=_EMPTY,
        ),
    ),
    key=("run_id", *application_columns.SIMULATION),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "instances_ordered",
            "fewest_instances <= mean_instances <= most_instances, beyond rounding.",
            "fewest_instances <= mean_instances + 1e-9 AND mean_instances <= most_instances + 1e-9",
        ),
        Check(
            "responses_ordered",
            "Response times exist if and only if there are events, and p50 <= p90 <= p99 <= max; "
            "mean and peak are at most max.",
            "CASE WHEN events = 0 THEN "
            + " AND ".join(f"`{name}` IS NULL" for name in RESPONSES)
            + " ELSE p50 <= p90 AND p90 <= p99 AND p99 <= `max` AND `mean` <= peak + 1e-9 "
            "AND peak <= `max` + 1e-9 AND above IS NOT NULL END",
        ),
    ),
    rules=(application_columns.every_simulation(),),
)

_metric = partial(metric_of, TABLE, followed=False)

METRICS = (
    _metric("mean_instances", "instances of all functions", "instances", 2),
    _metric("most_instances", "most instances at a time", "most", 1),
    _metric("scalings", "changes of a function's instances", "changes", 1),
    _metric("mean", "response time along the longest path", "mean", name="response_mean"),
    _metric("p99", "response time, 99th percentile", "p99", name="response_p99"),
    _metric("peak", "response time, greatest mean of 30 s", "peak", name="response_peak"),
    _metric("above", "events over the bound of response times", "above", 1, name="over_bound"),
)
