"""Contract of `live_recoveries`: how groups get over events, on a broker and simulated."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns
from schemas.tables.live import live_rules
from schemas.tables.live.live_agreement import AGREES, VERDICTS

UNITS = {"late_events": "records", "greatest_age_s": "s", "lag_gone_after_s": "s"}
"""Unit of each quantity."""

_UNIT = "as column unit says"
_UNIT_CASES = " ".join(f"WHEN '{quantity}' THEN '{unit}'" for quantity, unit in UNITS.items())


def _number(name: str, meaning: str, minimum: float | None = 0) -> Column:
    return double(name, _UNIT, meaning, minimum, measured=True)


TABLE = Table(
    name="live_recoveries",
    meaning="How groups whose assignor asks get over the events that were declared for them: "
    "figures from the broker, from the simulated group, with tolerances and verdicts, and from a "
    "replay of each record. Each event counts until the next one begins.",
    grain="stream, strategy, event and quantity",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        integer("number", "index", "Number of the event in its run, in order of time, from 1.", 1),
        text("kind", "Kind of the event, as in --event."),
        text("event", "The event as it was declared."),
        double("at_s", "s", "Time from the start of the stream at which it begins.", 0),
        text(
            "quantity",
            "`late_events`: records processed more than 0.5 s after they were due. "
            "`greatest_age_s`: longest time from due to processed. `lag_gone_after_s`: time from "
            "the start of the event until the last late record is processed, 0 without any.",
            tuple(UNITS),
        ),
        text("unit", "Unit of the values.", tuple(dict.fromkeys(UNITS.values()))),
        _number("measured", "Value on the broker, from the evidence of all processed records."),
        _number("predicted", "Value of the simulated group, to the end of a step."),
        _number("error", "measured less predicted.", None),
        _number(
            "tolerance",
            "Greatest error that agrees: 50 ms and 5 % of the prediction; of late_events, the "
            "records due in 50 ms at the stream's mean rate, and 5 %.",
        ),
        text("verdict", "agrees: within the tolerance. differs: outside of it.", VERDICTS),
        _number(
            "replayed",
            "Value of a replay of each record at the members that had its partition in the run. "
            "They process what they have fetched of one partition before the next one.",
        ),
    ),
    key=("run_id", *live_rules.GROUP, "number", "quantity"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "unit_of_quantity",
            "The unit follows from the quantity.",
            f"unit = CASE quantity {_UNIT_CASES} END",
        ),
        Check(
            "error_of_values",
            "The error is the difference from the prediction.",
            "abs(measured - predicted - error) <= 1e-9 * (1 + measured)",
        ),
        Check(
            "verdict_of_error",
            "The verdict follows from error and tolerance.",
            f"(verdict = '{AGREES}') = (abs(error) <= tolerance)",
        ),
    ),
    rules=(
        Rule(
            "whole_events",
            "Each event has all quantities, and one kind, text and time.",
            "SELECT stream_id, strategy, number FROM {batch} "
            "GROUP BY stream_id, strategy, number "
            f"HAVING count(*) <> {len(UNITS)} OR count(DISTINCT kind) <> 1 "
            "OR count(DISTINCT event) <> 1 OR min(at_s) < max(at_s)",
        ),
        Rule(
            "events_of_runs",
            "Events are those of a strategy that ran, and no more records are late than it read.",
            "SELECT b.stream_id, b.strategy FROM {batch} b LEFT JOIN {live_runs} r "
            "ON r.stream_id = b.stream_id AND r.strategy = b.strategy "
            "WHERE r.strategy IS NULL OR (b.quantity = 'late_events' AND b.measured > r.read)",
        ),
    ),
)
