"""Contract of `differences`: what a run found other than the run it is compared with."""

from schemas import metrics, shared
from schemas.column import Column
from schemas.rule import Check, Rule
from schemas.table import Table

METRICS = tuple(metric.name for metric in metrics.METRICS if metric.gated)
VERDICTS = ("same", "changed", "moved", "new", "gone")
EQUAL, INTERVAL, OTHER_STREAMS = EXPECTED = ("equal", "interval", "other streams")

_UNIT = "as the metric's"


def _number(name: str, meaning: str, null_means: str) -> Column:
    return Column(
        name, "double", meaning, _UNIT, nullable=True, null_means=null_means, infinity_allowed=True
    )


_COLUMNS = (
    shared.RUN_ID,
    Column(
        "baseline_run_id",
        "string",
        "Run that it is compared with: the newest one of the same configuration, whatever its "
        "seed, that was promoted or in which nothing had moved.",
    ),
    shared.EXPERIMENT,
    shared.DELTA,
    shared.ALGORITHM,
    Column(
        "metric",
        "string",
        "What is compared: cbs, mean_rscore, mean_consumers as in pareto (means over streams), or "
        "p50, p90, p99, the median over streams of latency's columns (of an even number the lower "
        "of the two in the middle), where a stream without a sample above 0 counts as 0 s.",
        allowed=METRICS,
    ),
    _number("value", "What the run found.", "The run has no such algorithm."),
    _number("baseline_value", "What the baseline found.", "The baseline has no such algorithm."),
    _number(
        "low",
        "Lower end of the interval in which the value was to be expected.",
        "The values are equal, or the baseline has fewer than 2 streams.",
    ),
    _number(
        "high",
        "Upper end of that interval.",
        "The values are equal, or the baseline has fewer than 2 streams.",
    ),
    Column(
        "expected",
        "string",
        "What was expected. equal: code and seed are the baseline's, so is every value. interval: "
        "the code is another, or not known, and the value lies in the baseline's 95 % interval. "
        "other streams: the seed is another, and all values of the run together lie, with a "
        "probability of 95 %, in intervals that allow for the scatter of both runs.",
        allowed=EXPECTED,
    ),
    Column(
        "verdict",
        "string",
        "same: the values are equal, bit for bit. changed: they differ no more than was to be "
        "expected. moved: they differ by more. new, gone: only one of the runs has the algorithm.",
        allowed=VERDICTS,
    ),
)

_MEANS = metrics.gated("mean")
_STACKED = ", ".join(f"'{name}', {name}" for name in _MEANS)
_MEDIANS = ", ".join(f"'{name}'" for name in metrics.gated("median"))
_GROUP = "experiment, delta, algorithm, metric"

TABLE = Table(
    name="differences",
    meaning="How the results of a run compare with those of its baseline. A run without a "
    "baseline, such as the first of its configuration, has no rows.",
    grain="experiment, delta, algorithm and metric",
    columns=_COLUMNS,
    key=("run_id", "experiment", "delta", "algorithm", "metric"),
    partition_by=("run_id",),
    checks=(
        Check(
            "another_run",
            "A run is not compared with itself.",
            "baseline_run_id <> run_id",
        ),
        Check(
            "verdict_follows",
            "The verdict is what the values, the interval and the expectation say.",
            "CASE verdict WHEN 'new' THEN value IS NOT NULL AND baseline_value IS NULL "
            "WHEN 'gone' THEN value IS NULL AND baseline_value IS NOT NULL "
            "WHEN 'same' THEN value = baseline_value "
            f"WHEN 'changed' THEN value <> baseline_value AND expected <> '{EQUAL}' "
            "AND low <= value AND value <= high "
            f"ELSE value <> baseline_value AND (expected = '{EQUAL}' OR low IS NULL "
            "OR high IS NULL OR value < low OR value > high) END",
        ),
    ),
    rules=(
        Rule(
            "pareto_compared",
            "Where there are differences, they hold every experiment, delta and algorithm of "
            "pareto, with its values.",
            f"SELECT {_GROUP}, sum(found) AS n_found FROM ("
            f"SELECT {_GROUP}, value, 1 AS found FROM {{batch}} "
            f"WHERE verdict <> 'gone' AND metric NOT IN ({_MEDIANS}) UNION ALL "
            f"SELECT experiment, delta, algorithm, stack({len(_MEANS)}, {_STACKED}) "
            "AS (metric, value), "
            "0 AS found FROM {pareto} WHERE EXISTS (SELECT 1 FROM {batch})) "
            f"GROUP BY {_GROUP} "
            "HAVING count(*) <> 2 OR sum(found) <> 1 OR min(value) <> max(value)",
        ),
    ),
    written_by=("compare",),
    reads=("runs", "scores", "latency", "pareto", "baselines"),
)
