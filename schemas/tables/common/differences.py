"""Contract of `differences`: results of a run compared with its baseline."""

from collections.abc import Iterable

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, ends, text
from schemas.metric import Metric, gated
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.assignment import latency, scores
from schemas.tables.autoscaling import simulations

_ALL = (*scores.METRICS, *latency.METRICS, *simulations.METRICS)
METRICS = (*gated("mean", _ALL), *gated("median", _ALL))
VERDICTS = ("same", "changed", "moved", "new", "gone")
EQUAL, INTERVAL, OTHER_STREAMS = EXPECTED = ("equal", "interval", "other streams")

_UNIT = "as the metric's"


def _number(name: str, meaning: str, null_means: str) -> Column:
    return double(name, _UNIT, meaning, None, infinite=True, null=null_means)


_COLUMNS = (
    shared_columns.RUN_ID,
    text(
        "baseline_run_id",
        "Run to compare with: the newest one with the same configuration (any seed) that was "
        "promoted or in which nothing had moved.",
    ),
    shared_columns.EXPERIMENT,
    shared_columns.DELTA,
    text("algorithm", "Assignment algorithm, or autoscaling strategy with its parameters."),
    text(
        "metric",
        "Compared metric: a mean over streams, as in pareto or trade_offs; or p50, p90, p99 of "
        "latency, and latency_p99 of simulations: the median over streams (the lower middle value "
        "if their number is even), counting a stream without a value as 0 s.",
        METRICS,
    ),
    _number("value", "Value of the run.", "The run does not include the algorithm."),
    _number(
        "baseline_value", "Value of the baseline.", "The baseline does not include the algorithm."
    ),
    *ends(
        "",
        _UNIT,
        "the interval expected for value",
        infinite=True,
        null="The values are equal, or the baseline has fewer than 2 streams.",
    ),
    text(
        "expected",
        "Expectation. equal: code and seed are the baseline's, so values must be equal. interval: "
        "the code differs or is unknown; value must lie in the baseline's 95 % interval. other "
        "streams: the seed differs; with 95 % probability, all values of the run lie in intervals "
        "that allow for the scatter of both runs.",
        EXPECTED,
    ),
    text(
        "verdict",
        "same: bit-for-bit equal. changed: different, within the expected range. moved: outside "
        "the expected range. new, gone: only one of the runs has the algorithm.",
        VERDICTS,
    ),
)

_GROUP = "experiment, delta, algorithm, metric"
_LABEL = "if(setting = '', strategy, concat(strategy, ':', setting))"


def _compared(table: str, algorithm: str, among: Iterable[Metric]) -> Rule:
    """Require that the means of a table are compared, unless there is no baseline."""
    means = gated("mean", among)
    listed = ", ".join(f"'{name}'" for name in means)
    stacked = ", ".join(f"'{name}', {name}" for name in means)
    delta = "delta" if table == "pareto" else "CAST(NULL AS DOUBLE)"
    return Rule(
        f"{table}_compared",
        f"Unless empty, the table covers every row of {table}, with the same means.",
        f"SELECT {_GROUP}, sum(found) AS n_found FROM ("
        f"SELECT {_GROUP}, value, 1 AS found FROM {{batch}} "
        f"WHERE verdict <> 'gone' AND metric IN ({listed}) UNION ALL "
        f"SELECT experiment, {delta}, {algorithm}, stack({len(means)}, {stacked}) "
        "AS (metric, value), "
        f"0 AS found FROM {{{table}}} WHERE EXISTS (SELECT 1 FROM {{batch}})) "
        f"GROUP BY {_GROUP} "
        "HAVING count(*) <> 2 OR sum(found) <> 1 OR min(value) <> max(value)",
    )


TABLE = Table(
    name="differences",
    meaning="Results of a run compared with those of its baseline. Empty if the run has no "
    "baseline, such as the first of its configuration.",
    grain="experiment, delta, algorithm and metric",
    columns=_COLUMNS,
    key=("run_id", "experiment", "delta", "algorithm", "metric"),
    partition_by=("run_id",),
    checks=(
        Check("another_run", "A run is not compared with itself.", "baseline_run_id <> run_id"),
        Check(
            "verdict_follows",
            "The verdict follows from the values, the interval and the expectation.",
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
        _compared("pareto", "algorithm", scores.METRICS),
        _compared("trade_offs", _LABEL, simulations.METRICS),
    ),
)
