"""Contract of `live_plans`: changes of owners on a broker, and how long they took."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns
from schemas.tables.live import live_rules


def _count(name: str, meaning: str, unit: str = "consumers") -> Column:
    return integer(name, unit, meaning, measured=True)


def _time(name: str, meaning: str, missing: str) -> Column:
    return double(name, "s", meaning, null=missing, measured=True)


_LOST = " Or: a controller that ended took it along."
_NO_MEASUREMENT = " Or: the plan answers the loss of a consumer, not a measurement."
_NO_MOVES = "No partition was processed by two consumers."

TABLE = Table(
    name="live_plans",
    meaning="Plans of the controller: changes of owners on a broker, with the times of their parts "
    "as in the paper's Section VI-F.",
    grain="stream, strategy and plan",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        integer("plan", "index", "Number of the plan, from 1.", 1),
        shared_columns.ITERATION,
        text(
            "reason",
            "Why it was decided: an iteration began, time had passed, a consumer was overloaded, "
            "a partition had no owner, or a consumer was lost.",
            ("iteration", "time", "overload", "unowned", "lost"),
        ),
        _count("consumers_before", "Consumers with partitions before."),
        _count("consumers_after", "Consumers with partitions afterwards."),
        _count("created", "Consumers afterwards that had no partitions before."),
        _count("retired", "Consumers before that have no partitions afterwards."),
        _count("moves", "Partitions that got another consumer.", "partitions"),
        double("rscore", "capacities", "Write speed of these partitions.", measured=True),
        _time(
            "speeds_known_s",
            "Δt1: from the change of rates with which the iteration began until one measurement "
            "has each of them within 5 %.",
            "Speeds were given, no rate changed, or it changed again before it was known. Or: the "
            "iteration is the first one, or the plan answers the loss of a consumer.",
        ),
        _time(
            "decided_s",
            "Δt2: from the measurement until the launcher was called for consumers or, without new "
            "ones, until the first commands were committed.",
            "There was nothing to command." + _NO_MEASUREMENT + _LOST,
        ),
        _time(
            "handed_s",
            "Part of Δt2: from the measurement until the first commands were handed to Kafka's "
            "client. The rest is the brokers' transaction.",
            "There was nothing to command, or the launcher was called." + _NO_MEASUREMENT + _LOST,
        ),
        _time(
            "created_s",
            "Δt3: from asking the launcher until the last new consumer was ready.",
            "No consumer was started." + _LOST,
        ),
        _time(
            "moved_s",
            "Δt4: from the first stop or start committed, or from the last new consumer's hello if "
            "that is later, until the last partition was started.",
            "Nothing was started." + _LOST,
        ),
        _time(
            "gap_p50_s",
            "Median time from the last record of a moved partition at its old consumer to the "
            "first one at the new consumer.",
            _NO_MOVES,
        ),
        _time("gap_max_s", "Longest of these times.", _NO_MOVES),
    ),
    key=("run_id", *live_rules.GROUP, "plan"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "consumers_add_up",
            "Consumers before, less those retired, with those created, are the consumers "
            "afterwards.",
            "consumers_before + created - retired = consumers_after",
        ),
        Check(
            "handed_before_decided",
            "Commands are committed after they are handed over.",
            "handed_s IS NULL OR handed_s <= decided_s",
        ),
        Check(
            "gaps_ordered",
            "Both gaps exist or none, and the median is at most the longest.",
            "CASE WHEN gap_max_s IS NULL THEN gap_p50_s IS NULL ELSE gap_p50_s <= gap_max_s END",
        ),
    ),
    rules=(
        Rule(
            "plans_of_runs",
            "Each stream and strategy has as many plans and moves as live_runs counts; Kafka's own "
            "groups have none.",
            "SELECT stream_id, strategy FROM ("
            "SELECT stream_id, strategy, 1 AS n, moves FROM {batch} UNION ALL "
            f"SELECT stream_id, strategy, -plans, -{live_rules.PLANNED_MOVES} FROM {{live_runs}}) "
            "GROUP BY stream_id, strategy HAVING sum(n) <> 0 OR sum(moves) <> 0",
        ),
    ),
)
