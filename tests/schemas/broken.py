"""Ways in which the rows of a run can contradict each other, and the rules that must say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.schemas.tiny import Row

Rows = list[Row]


class Break(NamedTuple):
    """A change to the legal rows of one table (or audit frame)."""

    table: str
    what: str
    change: Callable[[Rows], Rows]
    rules: set[str]


def _first(**values: object) -> Callable[[Rows], Rows]:
    """Change values of the first row."""
    return lambda rows: [rows[0] | values, *rows[1:]]


def _also(**values: object) -> Callable[[Rows], Rows]:
    """Add a copy of the first row with other values."""
    return lambda rows: [*rows, rows[0] | values]


def _without_first(rows: Rows) -> Rows:
    return rows[1:]


def _without_last_seed(rows: Rows) -> Rows:
    """Without seed 2 of the first candidate."""
    first = rows[0]["strategy"]
    return [row for row in rows if (row["strategy"], row["number"]) != (first, 2)]


def _last(rows: Rows, **values: object) -> Rows:
    """Change values of the last row."""
    return [*rows[:-1], rows[-1] | values]


SEQUENCES = {"streams_times_iterations"}
ALL = {"streams_times_algorithms_times_iterations"}
PAIRS = {"streams_times_algorithms"}
FRONT = {"on_front_consistent"}
COMPARED = {"pareto_compared"}
TRADED = {"trade_offs_compared"}
CANDIDATES = {"streams_times_strategies"}
COUNTED = {"actions_of_simulations"}
AVERAGES = {"averages_simulations"}
CONSISTENT = {"fronts_consistent"}
SAME_SEEDS = {"same_seeds_and_events"}
EFFECTS = {"effects_of_runs"}
PLANNED = {"bounds_planned"}
MEANS = {"differences_of_means"}
WHOLE = {"more_algorithms_no_less"}
SCALING = (
    Break("streams", "scaled one missing", lambda rows: rows[:-1], {"streams_planned"}),
    Break("streams", "scaled one twice", lambda rows: [*rows, rows[-1]], {"streams_planned"}),
    Break("streams", "scaled, with a delta", lambda r: _last(r, delta=5.0), {"streams_planned"}),
    Break("streams", "scaled, not planned", lambda r: _last(r, replicate=3), {"streams_planned"}),
    Break("simulations", "one missing", _without_first, CANDIDATES),
    Break("simulations", "one twice", _also(), CANDIDATES),
    Break("simulations", "unknown strategy", _also(strategy="ds2"), CANDIDATES),
    Break("simulations", "unknown setting", _first(setting="initial_replicas=3"), CANDIDATES),
    Break("simulations", "unknown stream", _also(stream_id="x"), CANDIDATES),
    Break("simulations", "none", lambda rows: [], CANDIDATES),
    Break("trajectories_audit", "one missing", _without_first, CANDIDATES),
    Break("trajectories_audit", "one twice", _also(), CANDIDATES),
    Break("trajectories_audit", "not recorded", _also(stream_id="scaled-r0002"), CANDIDATES),
    Break("trajectories_audit", "unknown stream", _also(stream_id="x"), CANDIDATES),
    Break("trajectories_audit", "too short", _first(n_rows=1), CANDIDATES),
    Break("trajectories_audit", "ends late", _first(last_iteration=3), CANDIDATES),
    Break("actions", "one missing", _without_first, COUNTED),
    Break("actions", "one twice", _also(), COUNTED),
    Break("actions", "other number", _first(action=3), COUNTED),
    Break("actions", "other kind", _first(kind="reassign", replicas_after=1), COUNTED),
    Break("actions", "none", lambda rows: [], COUNTED),
    Break("actions", "unknown stream", _also(stream_id="x"), COUNTED),
    Break(
        "actions",
        "of a stream without steps",
        lambda rows: [*rows, *(row | {"stream_id": "scaled-r0002"} for row in rows)],
        COUNTED,
    ),
    Break(
        "trade_offs",
        "dominated, on the front",
        lambda rows: _last(rows, on_front=True, dominated_by=None, replicates_dominated=0),
        CONSISTENT,
    ),
    Break("trade_offs", "off the front", _first(on_front=False), CONSISTENT),
    Break("claim_runs", "one missing", _without_first, {"same_seeds"}),
    Break("claim_runs", "a candidate's last seed missing", _without_last_seed, {"same_seeds"}),
    Break("bad_hour_runs", "one missing", _without_first, SAME_SEEDS),
    Break("bad_hour_runs", "a strategy's last seed missing", _without_last_seed, SAME_SEEDS),
    Break("bad_hour_runs", "one in another event", _first(event="spot"), SAME_SEEDS),
    Break("bad_hour_runs", "another quiet run", _first(quiet_minutes=9.0), {"one_quiet_run"}),
    Break("bad_hour_runs", "gone or not", _first(lag_gone_after_s=None), {"lasting_events"}),
    Break("bad_hour_runs", "of two kinds", _first(kind="outage"), {"lasting_events"}),
    Break("bad_hour_effects", "one missing", _without_first, EFFECTS),
    Break("bad_hour_effects", "one twice", _also(), EFFECTS),
    Break("bad_hour_effects", "of no runs", _also(event="spot"), EFFECTS),
    Break("bad_hour_effects", "other count", _first(seeds=3), EFFECTS),
    Break("bad_hour_effects", "other recoveries", _first(recovered=2), EFFECTS),
    Break("bad_hour_effects", "other late events", _first(late_events=16.0), EFFECTS),
    Break("trade_offs", "one missing", _without_first, AVERAGES),
    Break("trade_offs", "one twice", _also(), AVERAGES),
    Break("trade_offs", "none", lambda rows: [], AVERAGES),
    Break("trade_offs", "other count", _first(replicates=3), AVERAGES),
    Break("trade_offs", "other service", _first(sla_percent=99.9), AVERAGES),
    Break("trade_offs", "service missing", _first(sla_percent=None), AVERAGES),
    Break("trade_offs", "other cost", _first(replica_minutes=4.1), AVERAGES),
    Break("trade_offs", "other moves", _first(partitions_moved=0.5), AVERAGES),
    Break("differences", "strategy missing", lambda rows: rows[:-1], TRADED),
    Break("differences", "strategy twice", lambda rows: [*rows, rows[-1]], TRADED),
    Break("differences", "other moves", lambda r: _last(r, value=9.0, verdict="moved"), TRADED),
    Break("differences", "strategy not in the run", lambda r: _last(r, algorithm="ds2"), TRADED),
)
"""Those of the experiment on autoscaling."""

LIVE_STRATEGIES = {"streams_times_live_strategies"}
LIVE_PLANS = {"plans_of_runs"}
LIVE_QUANTITIES = {"quantities_of_runs"}
LIVE = (
    Break("streams", "live one missing", lambda r: r[:2] + r[3:], {"streams_planned"}),
    Break(
        "streams",
        "live, with another delta",
        lambda r: [*r[:2], r[2] | {"delta": 5.0}, *r[3:]],
        {"streams_planned"},
    ),
    Break("live_runs", "one missing", _without_first, LIVE_STRATEGIES),
    Break("live_runs", "one twice", _also(), LIVE_STRATEGIES),
    Break("live_runs", "unknown strategy", _also(strategy="BFD"), LIVE_STRATEGIES),
    Break("live_runs", "unknown stream", _also(stream_id="x"), LIVE_STRATEGIES),
    Break("live_plans", "one missing", _without_first, LIVE_PLANS),
    Break("live_plans", "one too many", _also(plan=9), LIVE_PLANS),
    Break("live_plans", "other moves", _first(moves=1), LIVE_PLANS),
    Break("live_plans", "unknown stream", _also(stream_id="x"), LIVE_PLANS),
    Break("live_plans", "none", lambda rows: [], LIVE_PLANS),
    Break("live_events", "a start missing", lambda rows: rows[:4] + rows[6:], {"moves_of_plans"}),
    Break(
        "live_events",
        "another move",
        lambda rows: [*rows, rows[5] | {"event": 7, "epoch": 3, "consumer": 0}],
        {"moves_of_plans"},
    ),
    Break(
        "live_events",
        "a fault",
        _also(event=9, component="fault", kind="lost"),
        {"faults_of_runs"},
    ),
    Break("live_lag", "one missing", _without_first, {"every_second_and_partition"}),
    Break("live_lag", "too long", _first(second=9), {"every_second_and_partition"}),
    Break("live_lag", "other partition", _first(partition=2), {"every_second_and_partition"}),
    Break("live_lag", "unknown stream", _also(stream_id="x"), {"every_second_and_partition"}),
    Break("live_lag", "none", lambda rows: [], {"every_second_and_partition"}),
    Break("live_courses", "first missing", _without_first, {"seconds_of_simulated_runs"}),
    Break("live_courses", "unknown stream", _also(stream_id="x"), {"seconds_of_simulated_runs"}),
    Break("live_latency", "one missing", _without_first, LIVE_STRATEGIES),
    Break("live_latency", "one twice", _also(), LIVE_STRATEGIES),
    Break("live_integrity", "one missing", lambda rows: rows[:-1], {"every_partition"}),
    Break(
        "live_integrity", "other partition", lambda r: _last(r, partition=2), {"every_partition"}
    ),
    Break(
        "live_integrity",
        "unknown stream",
        _also(stream_id="x", owner_changes=0),
        {"every_partition"},
    ),
    Break("live_integrity", "none", lambda rows: [], {"every_partition", "moves_add_up"}),
    Break("live_integrity", "twice", _first(twice=1), {"faultless_exactly_once"}),
    Break("live_integrity", "disordered", _first(out_of_order=1), {"faultless_exactly_once"}),
    Break(
        "live_integrity", "overlapping", _first(overlapping_epochs=1), {"faultless_exactly_once"}
    ),
    Break("live_integrity", "other owners", _first(owner_changes=0), {"moves_add_up"}),
    Break(
        "live_agreement",
        "one missing",
        _without_first,
        LIVE_STRATEGIES | LIVE_QUANTITIES,
    ),
    Break("live_agreement", "latency missing", lambda rows: rows[:-1], LIVE_QUANTITIES),
    Break("live_agreement", "other value", _first(measured=2.1, error_a=0.1), LIVE_QUANTITIES),
    Break(
        "live_agreement", "unknown stream", _also(stream_id="x"), LIVE_STRATEGIES | LIVE_QUANTITIES
    ),
    Break("live_recoveries", "one missing", _without_first, {"whole_events"}),
    Break("live_recoveries", "other time", _first(at_s=5.0), {"whole_events"}),
    Break(
        "live_recoveries",
        "unknown stream",
        _also(stream_id="x"),
        {"whole_events", "events_of_runs"},
    ),
    Break(
        "live_recoveries",
        "more late than read",
        _first(measured=801.0, predicted=801.0),
        {"events_of_runs"},
    ),
)
"""Those of the experiment that ran on a broker."""

LEARNING = (
    Break("trainings", "one missing", _without_first, {"episodes_planned"}),
    Break("trainings", "one twice", _also(), {"episodes_planned"}),
    Break("trainings", "not planned", _also(agent="double_dqn"), {"episodes_planned"}),
    Break("policies", "one missing", _without_first, {"policies_planned"}),
    Break("policies", "not planned", _also(seed=3), {"policies_planned"}),
    Break("evaluations", "one missing", _without_first, {"every_policy_evaluated"}),
    Break("evaluations", "other reward", _first(total_reward=-150.0), {"every_policy_evaluated"}),
    Break("evaluations", "unknown seed", _also(seed=3), {"every_policy_evaluated"}),
    Break("learning_scores", "missing", _without_first, {"cells_planned", "successes_counted"}),
    Break(
        "learning_scores",
        "not planned",
        _also(variant="decay=0.5"),
        {"cells_planned", "successes_counted"},
    ),
    Break("learning_scores", "other successes", _first(successes=2), {"successes_counted"}),
    Break("group_evaluations", "one missing", _without_first, {"every_group_policy_judged"}),
    Break("group_evaluations", "unknown seed", _also(seed=3), {"every_group_policy_judged"}),
)
"""Those of the experiment on learning."""

PULSAR = (
    Break("pulsar_intervals", "one missing", _without_first, {"intervals_of_runs"}),
    Break("pulsar_intervals", "unknown run", _also(replicate=2), {"intervals_of_runs"}),
    Break("pulsar_steps", "first missing", _without_first, {"steps_of_runs"}),
    Break("pulsar_steps", "unknown run", _also(replicate=2), {"steps_of_runs"}),
    Break("pulsar_steps", "none", lambda rows: [], {"steps_of_runs"}),
    Break("pulsar_changes", "one missing", _without_first, {"changes_of_runs"}),
    Break("pulsar_changes", "one more", _also(change=2), {"changes_of_runs"}),
)
"""Those of the experiment on Pulsar."""

BROKERS = (
    Break("broker_runs", "one missing", _without_first, {"both_producers"}),
    Break("broker_scalings", "one missing", _without_first, {"scalings_of_runs"}),
    Break("broker_scalings", "one more", _also(scaling=4), {"scalings_of_runs"}),
    Break("broker_pauses", "one missing", _without_first, {"pauses_of_scalings"}),
    Break("broker_pauses", "unknown scaling", _also(scaling=4), {"pauses_of_scalings"}),
)
"""Those of the experiment with brokers that join and leave."""

STEPS_COUNTED = {"steps_without_gaps"}
APPLICATIONS = (
    Break("application_runs", "one missing", _without_first, {"simulations_planned"}),
    Break("application_runs", "one twice", _also(), {"simulations_planned"}),
    Break("application_runs", "not planned", _also(replicate=3), {"simulations_planned"}),
    Break("application_runs", "other policy", _first(policy="linear"), {"simulations_planned"}),
    Break("prefetch_crossings", "one missing", _without_first, {"crossings_planned"}),
    Break("prefetch_crossings", "one twice", _also(), {"crossings_planned"}),
    Break("prefetch_crossings", "not planned", _also(backlog=5), {"crossings_planned"}),
    Break(
        "application_steps",
        "one missing",
        _without_first,
        STEPS_COUNTED | {"instances_averaged"},
    ),
    Break("application_steps", "more instances", _first(instances=3), {"instances_averaged"}),
    Break("application_steps", "longer", _first(seconds=31.0), {"instances_averaged"}),
    Break(
        "application_steps", "unknown", _also(replicate=3), STEPS_COUNTED | {"instances_averaged"}
    ),
    Break(
        "function_steps",
        "one missing",
        _without_first,
        STEPS_COUNTED | {"instances_added"},
    ),
    Break("function_steps", "more instances", _first(instances=2), {"instances_added"}),
    Break("function_steps", "an event lost", _first(completions=3), {"backlog_balanced"}),
    Break("function_steps", "one left", lambda r: _last(r, backlog=1), {"backlog_balanced"}),
    Break("function_steps", "none", lambda rows: [], STEPS_COUNTED | {"instances_added"}),
)
"""Those of the experiment on an application."""

BREAKS = (
    *SCALING,
    *LIVE,
    *LEARNING,
    *APPLICATIONS,
    *PULSAR,
    *BROKERS,
    Break("runs", "no row", lambda rows: [], {"one_row"}),
    Break("runs", "second row", _also(), {"one_row"}),
    Break("streams", "one missing", _without_first, {"streams_planned"}),
    Break("streams", "one twice", _also(), {"streams_planned"}),
    Break("streams", "one too many", _also(replicate=3), {"streams_planned"}),
    Break("streams", "other delta", _first(delta=6.0), {"streams_planned"}),
    Break("streams", "other start", _first(initial_rate="0"), {"streams_planned"}),
    Break("streams", "none", lambda rows: [], {"streams_planned"}),
    Break("streams", "not asked for", _also(experiment="other"), {"streams_planned"}),
    Break("measurements_audit", "stream missing", _without_first, SEQUENCES),
    Break("measurements_audit", "unknown stream", _also(stream_id="x"), SEQUENCES),
    Break("measurements_audit", "too short", _first(n_rows=1), SEQUENCES),
    Break("measurements_audit", "starts late", _first(first_iteration=2), SEQUENCES),
    Break("measurements_audit", "ends late", _first(last_iteration=3), SEQUENCES),
    Break("assignments_audit", "starts late", _first(first_iteration=2), ALL),
    Break("assignments_audit", "ends early", _first(last_iteration=1), ALL),
    Break("assignments_audit", "pair missing", _without_first, ALL),
    Break("assignments_audit", "unknown stream", _also(stream_id="x"), ALL),
    Break("assignments_audit", "not asked for", _also(algorithm="FF"), ALL),
    Break("assignments_audit", "too long", _first(n_rows=3), ALL),
    Break("bounds", "none", lambda rows: [], PLANNED),
    Break("bounds", "one missing", _without_first, PLANNED),
    Break("bounds", "unknown stream", _also(stream_id="x"), PLANNED),
    Break("bounds", "not asked for", _also(iteration=1, lower=2.0, upper=2.0), PLANNED),
    Break(
        "bounds",
        "above an assignment",
        _first(lower=2.0, upper=2.0),
        {"no_assignment_has_fewer_consumers"},
    ),
    Break(
        "bounds",
        "above an assignment's Rscore",
        lambda rows: [rows[0], rows[1] | {"lower": 0.5, "upper": 0.5}, *rows[2:]],
        {"no_assignment_has_less_rscore"},
    ),
    Break(
        "bounds",
        "upper end above the assignment's",
        lambda rows: [rows[0], rows[1] | {"upper": 0.5, "proved": False}, *rows[2:]],
        {"no_assignment_has_less_rscore"},
    ),
    Break("scores", "pair twice", _also(), PAIRS),
    Break("scores", "pair missing", _without_first, PAIRS),
    Break("scores", "not asked for", _also(algorithm="FF"), PAIRS),
    Break("scores", "other delta", _first(delta=6.0), PAIRS),
    Break("scores", "no delta", _first(delta=None), PAIRS),
    Break("scores", "other experiment", _first(experiment="x"), PAIRS),
    Break("scores", "other start", _first(initial_rate=None), PAIRS),
    Break("scores", "other replicate", _first(replicate=2), PAIRS),
    Break("scores", "other length", _first(n_iterations=3), PAIRS),
    Break("latency", "pair missing", _without_first, PAIRS),
    Break("latency", "other delta", _first(delta=6.0), PAIRS),
    Break(
        "pareto",
        "off the front",
        lambda r: _swap(r, "kd_1", on_front=False),
        FRONT,
    ),
    Break("pareto", "dominated, on it", _first(on_front=True), FRONT),
    Break(
        "pareto",
        "off the reference front",
        _first(on_reference_front=False),
        FRONT,
    ),
    Break(
        "pareto",
        "dominated, on the reference front",
        lambda rows: _swap(rows, "NF", on_reference_front=True),
        FRONT,
    ),
    Break(
        "pareto",
        "outside, on the reference front",
        lambda rows: _swap(rows, "kd_1", on_reference_front=True),
        FRONT,
    ),
    Break("pareto", "point twice", _also(), {"averages_scores"}),
    Break("pareto", "other cbs", _first(cbs=0.01), {"averages_scores"}),
    Break("pareto", "other rscore", _first(mean_rscore=0.01), {"averages_scores"}),
    Break("pareto", "none", lambda rows: [], {"averages_scores"}),
    Break("pareto", "other mean", _first(mean_consumers=1.6), {"averages_scores"}),
    Break("pareto", "other count", _first(replicates=3), {"averages_scores"}),
    Break("comparisons", "other difference", _first(mean_difference=0.4, low=0.4), MEANS),
    Break("comparisons", "not in the run", _first(algorithm="FF"), MEANS),
    Break("rankings", "one missing", _without_first, {"ranks_complete"}),
    Break("rankings", "one twice", _also(), {"ranks_complete"}),
    Break("rankings", "other rank", _first(mean_rank=1.5), {"ranks_complete"}),
    Break("indicators", "all missing", lambda rows: rows[:1], WHOLE),
    Break("indicators", "all twice", lambda rows: [*rows, rows[1]], WHOLE),
    Break(
        "indicators",
        "less with more",
        lambda rows: [rows[0] | {"hypervolume": 0.5}, rows[1] | {"hypervolume": 0.25}],
        WHOLE,
    ),
    Break("indicators", "not covered", lambda rows: [rows[0], rows[1] | {"epsilon": 0.1}], WHOLE),
    Break("dominance", "one missing", _without_first, {"every_reference_algorithm"}),
    Break("dominance", "one twice", _also(), {"every_reference_algorithm"}),
    Break("dominance", "not of the paper", _also(algorithm="kd_1"), {"every_reference_algorithm"}),
    Break("dominance", "other mean", _first(cbs_common=0.6), {"every_reference_algorithm"}),
    Break("differences", "point missing", _without_first, COMPARED),
    Break("differences", "point twice", _also(), COMPARED),
    Break("differences", "other value", _first(value=0.1, verdict="moved"), COMPARED),
    Break("differences", "not in the run", _first(algorithm="FF"), COMPARED),
    Break(
        "pareto",
        "other delta",
        # Alone at its delta, FFD is no longer dominated there.
        _first(delta=6.0, on_front=True),
        {"averages_scores", "on_front_consistent"},
    ),
)
"""Each breaks exactly the rules it names."""


def _swap(rows: Rows, algorithm: str, **values: object) -> Rows:
    """Change values of one algorithm's rows."""
    return [row | values if row["algorithm"] == algorithm else row for row in rows]
