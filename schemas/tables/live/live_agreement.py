"""Contract of `live_agreement`: figures from a broker beside predictions."""

from sys import float_info

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns
from schemas.tables.live import live_rules

AGREES, DIFFERS = VERDICTS = ("agrees", "differs")
LATENCIES = ("p50", "p90", "p99")
SERVICE = ("sla_percent", "replica_minutes", "peak_s")
UNITS = {
    "consumers": "consumers",
    "migrations": "partitions",
    **dict.fromkeys(LATENCIES, "s"),
    "other_owners": "partitions",
    "sla_percent": "%",
    "replica_minutes": "replica-minutes",
    "peak_s": "s",
}
"""Unit of each quantity."""

QUANTITIES = tuple(UNITS)

_UNIT = "as column unit says"
_A = (
    "Prediction A, the latency model on the algorithm's simulated assignments; the simulated group "
    "for an autoscaling strategy"
)
_B = "Prediction B, a replay of the consumers' queues with the owners of the run"


def _number(
    name: str, meaning: str, null: str = "", minimum: float | None = None, *, infinite: bool = False
) -> Column:
    return double(name, _UNIT, meaning, minimum, infinite=infinite, null=null, measured=True)


_NO_A = "Kafka itself managed the group."
_NO_B = "The prediction is of latencies only."

_COLUMNS = (
    shared_columns.RUN_ID,
    shared_columns.EXPERIMENT,
    shared_columns.STREAM_ID,
    scaling_columns.STRATEGY,
    text(
        "quantity",
        "What is compared, without the first iteration: the mean number of consumers, partitions "
        "that moved, or a quantile of the latency of all records in sound iterations. "
        "`other_owners`: partitions with another owner than simulated as an iteration ends, "
        "summed over all iterations; only where speeds were given and an algorithm decided. "
        "`sla_percent`, `replica_minutes`, `peak_s`: those of live_runs, of groups whose assignor "
        "asks.",
        QUANTITIES,
    ),
    text("unit", "Unit of the values.", tuple(dict.fromkeys(UNITS.values()))),
    _number("measured", "Value on the broker.", minimum=0),
    _number("predicted_a", f"{_A}.", _NO_A, minimum=0, infinite=True),
    _number("error_a", "measured less predicted_a.", f"The prediction is infinite. Or: {_NO_A}"),
    _number(
        "tolerance_a",
        "Greatest error that agrees with A: 0.25 s and 10 % of the prediction; 0 for consumers and "
        "migrations if speeds were given.",
        f"Any error agrees: speeds were measured, or a strategy scaled the group. Or: {_NO_A}",
        minimum=0,
    ),
    _number("predicted_b", f"{_B}.", _NO_B, minimum=0, infinite=True),
    _number("error_b", "measured less predicted_b.", f"The prediction is infinite. Or: {_NO_B}"),
    _number(
        "tolerance_b",
        "Greatest error that agrees with B: 50 ms and 5 % of the prediction.",
        _NO_B,
        minimum=0,
    ),
    text(
        "verdict",
        "agrees: within the tolerance of each prediction. differs: outside of one.",
        VERDICTS,
        null="No prediction has a tolerance.",
    ),
)


def _error(which: str) -> str:
    # Rounding of the difference, and of the values as they were stored.
    return (
        f"CASE WHEN predicted_{which} IS NULL THEN error_{which} IS NULL "
        f"WHEN error_{which} IS NULL THEN predicted_{which} > {float_info.max!r} "
        f"ELSE abs(measured - predicted_{which} - error_{which}) <= 1e-9 * (1 + measured) END"
    )


def _within(which: str) -> str:
    return f"error_{which} IS NOT NULL AND abs(error_{which}) <= tolerance_{which}"


_UNIT_CASES = [f"WHEN '{quantity}' THEN '{unit}'" for quantity, unit in UNITS.items()]
_IS_LATENCY = f"quantity IN ({', '.join(map(repr, LATENCIES))})"

TABLE = Table(
    name="live_agreement",
    meaning="Figures from a broker compared with two predictions of simulators, with tolerances "
    "and verdicts.",
    grain="stream, strategy and quantity",
    columns=_COLUMNS,
    key=("run_id", *live_rules.GROUP, "quantity"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "unit_of_quantity",
            "The unit follows from the quantity.",
            f"unit = CASE quantity {' '.join(_UNIT_CASES)} END",
        ),
        Check("error_of_a", "The error is the difference from prediction A.", _error("a")),
        Check("error_of_b", "The error is the difference from prediction B.", _error("b")),
        Check(
            "latencies_have_b",
            "Exactly latencies have prediction B.",
            f"(predicted_b IS NOT NULL) = ({_IS_LATENCY}) "
            f"AND (tolerance_b IS NOT NULL) = ({_IS_LATENCY})",
        ),
        Check(
            "verdict_of_errors",
            "The verdict follows from errors and tolerances.",
            "CASE WHEN tolerance_a IS NULL AND tolerance_b IS NULL THEN verdict IS NULL "
            f"WHEN (tolerance_a IS NULL OR ({_within('a')})) "
            f"AND (tolerance_b IS NULL OR ({_within('b')})) THEN verdict = '{AGREES}' "
            f"ELSE verdict = '{DIFFERS}' END",
        ),
    ),
    rules=(
        live_rules.every_strategy(
            "SELECT stream_id, strategy FROM {batch} WHERE quantity = 'consumers'"
        ),
        Rule(
            "quantities_of_runs",
            "Each row repeats a figure of live_runs or live_latency: consumers, and percentiles if "
            "there are records.",
            "SELECT stream_id, strategy, quantity FROM ("
            "SELECT stream_id, strategy, quantity, measured, 1 AS found FROM {batch} "
            f"WHERE quantity = 'consumers' OR {_IS_LATENCY} UNION ALL "
            "SELECT stream_id, strategy, stack(4, 'consumers', mean_consumers, 'p50', p50, "
            "'p90', p90, 'p99', p99) AS (quantity, measured), 0 AS found FROM {live_latency}) "
            "WHERE measured IS NOT NULL GROUP BY stream_id, strategy, quantity "
            "HAVING count(*) <> 2 OR sum(found) <> 1 "
            "OR max(measured) - min(measured) > 1e-9 * (1 + max(measured))",
        ),
    ),
)
