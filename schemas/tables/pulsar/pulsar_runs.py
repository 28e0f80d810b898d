"""Contract of `pulsar_runs`: applications of Pulsar Functions that a policy scaled."""

from functools import partial

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, flag, integer, text
from schemas.metric import metric_of
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.pulsar import pulsar_columns
from schemas.tables.pulsar.pulsar_columns import counted

_NOTHING = "No event came out."
_UNSIMULATED = "Changes were made at set times, which is not simulated."


def _response(name: str, meaning: str, missing: str = _NOTHING) -> Column:
    return double(name, "s", meaning, null=missing, measured=True)


_SETTINGS = (
    text("graph", "Functions: one, or the three of the paper.", ("recognise", "images")),
    text("spacing", "Times between events of the source.", ("exponential", "constant")),
    double("decision_s", "s", "Time between decisions.", above=0),
    integer("receiver_queue", "records", "Records that an instance fetches ahead.", 1),
    text(
        "guarantee",
        "Pulsar's guarantee. Losses of functions that process at most once are reported only.",
        (pulsar_columns.AT_LEAST_ONCE, pulsar_columns.AT_MOST_ONCE),
    ),
    text(
        "hold",
        "Whether a function that is stopped first holds its record to the end (uninterruptible) or "
        "drops it, so that it is delivered again.",
        ("uninterruptible", "interruptible"),
    ),
    integer("image_width", "pixels", "Width of the images that records carry; 0: none.", 0),
    integer("intervals", "intervals", "Intervals of constant load.", 1),
)

_CONDITIONS = (
    text("pulsar_version", "Version of Pulsar."),
    integer("cores", "cores", "Processor cores of the machine.", 1, measured=True),
    double("load", "processes", "Load of the machine in the run's last minute.", measured=True),
)

_FIGURES = (
    flag("drained", "Whether everything came out before the time limit."),
    counted("late_sends", "Events that were published more than 100 ms late.", "events"),
    counted("acknowledged", "Events that Pulsar has stored.", "events"),
    counted(
        "lost",
        "Of these, events that did not come out of some path; if not drained, perhaps not yet.",
        "events",
    ),
    double(
        "lost_high",
        "ratio",
        "Upper end of the 95 % interval of the share lost: exact, and 3/N if none of N was.",
        maximum=1.0,
        measured=True,
    ),
    counted("repeated", "Times that an event came out again.", "events"),
    counted(
        "recoveries",
        "Times that the loop was started again, or created a function that was gone.",
        "recoveries",
    ),
    counted("changes", "Changes of instances, with windows without one: rows.", "changes"),
    double(
        "mean_instances", "instances", "Instances of all functions, mean over time.", measured=True
    ),
    _response("mean_s", "Mean time from due until the last function is done."),
    _response("p50_s", "Median of these times."),
    _response("p99_s", "Their 99th percentile."),
    _response("max_s", "Longest of them."),
    double(
        "simulated_instances",
        "instances",
        "The same in a simulation with the same events, service times and policy.",
        null=_UNSIMULATED,
    ),
    double("simulated_mean_s", "s", "Simulated mean response.", null=_UNSIMULATED),
    double(
        "image_s",
        "s",
        "Mean time in which `store` and `shrink` resized an image.",
        null="Records carried no images, or none came out.",
        measured=True,
    ),
)

TABLE = Table(
    name="pulsar_runs",
    meaning="Applications of Pulsar Functions on a real Pulsar: settings, conditions, and what "
    "happened in total, next to a simulation.",
    grain="experiment, executor, policy and replicate",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        pulsar_columns.EXECUTOR,
        pulsar_columns.POLICY,
        shared_columns.REPLICATE,
        *_SETTINGS,
        *_CONDITIONS,
        *_FIGURES,
    ),
    key=("run_id", *pulsar_columns.GROUP),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "nothing_lost",
            "What processes at least once and was waited for, loses nothing.",
            f"guarantee = '{pulsar_columns.AT_MOST_ONCE}' OR NOT drained OR lost = 0",
        ),
        Check(
            "responses_ordered",
            "Percentiles ascend.",
            "max_s IS NULL OR (p50_s <= p99_s AND p99_s <= max_s)",
        ),
    ),
)

# Measurements differ from run to run: none is gated.
_metric = partial(metric_of, TABLE, followed=False)

METRICS = (
    _metric("mean_s", "mean response on Pulsar", "mean", 2, name="pulsar_response"),
    _metric(
        "mean_instances", "instances of Pulsar Functions", "instances", 1, name="pulsar_instances"
    ),
)
