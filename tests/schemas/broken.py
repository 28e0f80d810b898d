"""Ways in which the rows of a run can contradict each other, and the rules that must say so."""

from __future__ import annotations

from tests.schemas.broken_systems import BROKERS, LIVE, PULSAR
from tests.schemas.row_breaks import (
    Break,
    Rows,
    also,
    first,
    last,
    without_first,
    without_last_seed,
)

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
    Break("streams", "scaled, with a delta", lambda r: last(r, delta=5.0), {"streams_planned"}),
    Break("streams", "scaled, not planned", lambda r: last(r, replicate=3), {"streams_planned"}),
    Break("simulations", "one missing", without_first, CANDIDATES),
    Break("simulations", "one twice", also(), CANDIDATES),
    Break("simulations", "unknown strategy", also(strategy="ds2"), CANDIDATES),
    Break("simulations", "unknown setting", first(setting="initial_replicas=3"), CANDIDATES),
    Break("simulations", "unknown stream", also(stream_id="x"), CANDIDATES),
    Break("simulations", "none", lambda rows: [], CANDIDATES),
    Break("trajectories_audit", "one missing", without_first, CANDIDATES),
    Break("trajectories_audit", "one twice", also(), CANDIDATES),
    Break("trajectories_audit", "not recorded", also(stream_id="scaled-r0002"), CANDIDATES),
    Break("trajectories_audit", "unknown stream", also(stream_id="x"), CANDIDATES),
    Break("trajectories_audit", "too short", first(n_rows=1), CANDIDATES),
    Break("trajectories_audit", "ends late", first(last_iteration=3), CANDIDATES),
    Break("actions", "one missing", without_first, COUNTED),
    Break("actions", "one twice", also(), COUNTED),
    Break("actions", "other number", first(action=3), COUNTED),
    Break("actions", "other kind", first(kind="reassign", replicas_after=1), COUNTED),
    Break("actions", "none", lambda rows: [], COUNTED),
    Break("actions", "unknown stream", also(stream_id="x"), COUNTED),
    Break(
        "actions",
        "of a stream without steps",
        lambda rows: [*rows, *(row | {"stream_id": "scaled-r0002"} for row in rows)],
        COUNTED,
    ),
    Break(
        "trade_offs",
        "dominated, on the front",
        lambda rows: last(rows, on_front=True, dominated_by=None, replicates_dominated=0),
        CONSISTENT,
    ),
    Break("trade_offs", "off the front", first(on_front=False), CONSISTENT),
    Break("claim_runs", "one missing", without_first, {"same_seeds"}),
    Break("claim_runs", "a candidate's last seed missing", without_last_seed, {"same_seeds"}),
    Break("bad_hour_runs", "one missing", without_first, SAME_SEEDS),
    Break("bad_hour_runs", "a strategy's last seed missing", without_last_seed, SAME_SEEDS),
    Break("bad_hour_runs", "one in another event", first(event="spot"), SAME_SEEDS),
    Break("bad_hour_runs", "another quiet run", first(quiet_minutes=9.0), {"one_quiet_run"}),
    Break("bad_hour_runs", "gone or not", first(lag_gone_after_s=None), {"lasting_events"}),
    Break("bad_hour_runs", "of two kinds", first(kind="outage"), {"lasting_events"}),
    Break("bad_hour_effects", "one missing", without_first, EFFECTS),
    Break("bad_hour_effects", "one twice", also(), EFFECTS),
    Break("bad_hour_effects", "of no runs", also(event="spot"), EFFECTS),
    Break("bad_hour_effects", "other count", first(seeds=3), EFFECTS),
    Break("bad_hour_effects", "other recoveries", first(recovered=2), EFFECTS),
    Break("bad_hour_effects", "other late events", first(late_events=16.0), EFFECTS),
    Break("trade_offs", "one missing", without_first, AVERAGES),
    Break("trade_offs", "one twice", also(), AVERAGES),
    Break("trade_offs", "none", lambda rows: [], AVERAGES),
    Break("trade_offs", "other count", first(replicates=3), AVERAGES),
    Break("trade_offs", "other service", first(sla_percent=99.9), AVERAGES),
    Break("trade_offs", "service missing", first(sla_percent=None), AVERAGES),
    Break("trade_offs", "other cost", first(replica_minutes=4.1), AVERAGES),
    Break("trade_offs", "other moves", first(partitions_moved=0.5), AVERAGES),
    Break("differences", "strategy missing", lambda rows: rows[:-1], TRADED),
    Break("differences", "strategy twice", lambda rows: [*rows, rows[-1]], TRADED),
    Break("differences", "other moves", lambda r: last(r, value=9.0, verdict="moved"), TRADED),
    Break("differences", "strategy not in the run", lambda r: last(r, algorithm="ds2"), TRADED),
)
"""Those of the experiment on autoscaling."""

LEARNING = (
    Break("trainings", "one missing", without_first, {"episodes_planned"}),
    Break("trainings", "one twice", also(), {"episodes_planned"}),
    Break("trainings", "not planned", also(agent="double_dqn"), {"episodes_planned"}),
    Break("policies", "one missing", without_first, {"policies_planned"}),
    Break("policies", "not planned", also(seed=3), {"policies_planned"}),
    Break("evaluations", "one missing", without_first, {"every_policy_evaluated"}),
    Break("evaluations", "other reward", first(total_reward=-150.0), {"every_policy_evaluated"}),
    Break("evaluations", "unknown seed", also(seed=3), {"every_policy_evaluated"}),
    Break("learning_scores", "missing", without_first, {"cells_planned", "successes_counted"}),
    Break(
        "learning_scores",
        "not planned",
        also(variant="decay=0.5"),
        {"cells_planned", "successes_counted"},
    ),
    Break("learning_scores", "other successes", first(successes=2), {"successes_counted"}),
    Break("group_evaluations", "one missing", without_first, {"every_group_policy_judged"}),
    Break("group_evaluations", "unknown seed", also(seed=3), {"every_group_policy_judged"}),
)
"""Those of the experiment on learning."""

STEPS_COUNTED = {"steps_without_gaps"}
APPLICATIONS = (
    Break("application_runs", "one missing", without_first, {"simulations_planned"}),
    Break("application_runs", "one twice", also(), {"simulations_planned"}),
    Break("application_runs", "not planned", also(replicate=3), {"simulations_planned"}),
    Break("application_runs", "other policy", first(policy="linear"), {"simulations_planned"}),
    Break("prefetch_crossings", "one missing", without_first, {"crossings_planned"}),
    Break("prefetch_crossings", "one twice", also(), {"crossings_planned"}),
    Break("prefetch_crossings", "not planned", also(backlog=5), {"crossings_planned"}),
    Break(
        "application_steps",
        "one missing",
        without_first,
        STEPS_COUNTED | {"instances_averaged"},
    ),
    Break("application_steps", "more instances", first(instances=3), {"instances_averaged"}),
    Break("application_steps", "longer", first(seconds=31.0), {"instances_averaged"}),
    Break(
        "application_steps", "unknown", also(replicate=3), STEPS_COUNTED | {"instances_averaged"}
    ),
    Break(
        "function_steps",
        "one missing",
        without_first,
        STEPS_COUNTED | {"instances_added"},
    ),
    Break("function_steps", "more instances", first(instances=2), {"instances_added"}),
    Break("function_steps", "an event lost", first(completions=3), {"backlog_balanced"}),
    Break("function_steps", "one left", lambda r: last(r, backlog=1), {"backlog_balanced"}),
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
    Break("runs", "second row", also(), {"one_row"}),
    Break("streams", "one missing", without_first, {"streams_planned"}),
    Break("streams", "one twice", also(), {"streams_planned"}),
    Break("streams", "one too many", also(replicate=3), {"streams_planned"}),
    Break("streams", "other delta", first(delta=6.0), {"streams_planned"}),
    Break("streams", "other start", first(initial_rate="0"), {"streams_planned"}),
    Break("streams", "none", lambda rows: [], {"streams_planned"}),
    Break("streams", "not asked for", also(experiment="other"), {"streams_planned"}),
    Break("measurements_audit", "stream missing", without_first, SEQUENCES),
    Break("measurements_audit", "unknown stream", also(stream_id="x"), SEQUENCES),
    Break("measurements_audit", "too short", first(n_rows=1), SEQUENCES),
    Break("measurements_audit", "starts late", first(first_iteration=2), SEQUENCES),
    Break("measurements_audit", "ends late", first(last_iteration=3), SEQUENCES),
    Break("assignments_audit", "starts late", first(first_iteration=2), ALL),
    Break("assignments_audit", "ends early", first(last_iteration=1), ALL),
    Break("assignments_audit", "pair missing", without_first, ALL),
    Break("assignments_audit", "unknown stream", also(stream_id="x"), ALL),
    Break("assignments_audit", "not asked for", also(algorithm="FF"), ALL),
    Break("assignments_audit", "too long", first(n_rows=3), ALL),
    Break("bounds", "none", lambda rows: [], PLANNED),
    Break("bounds", "one missing", without_first, PLANNED),
    Break("bounds", "unknown stream", also(stream_id="x"), PLANNED),
    Break("bounds", "not asked for", also(iteration=1, lower=2.0, upper=2.0), PLANNED),
    Break(
        "bounds",
        "above an assignment",
        first(lower=2.0, upper=2.0),
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
    Break("scores", "pair twice", also(), PAIRS),
    Break("scores", "pair missing", without_first, PAIRS),
    Break("scores", "not asked for", also(algorithm="FF"), PAIRS),
    Break("scores", "other delta", first(delta=6.0), PAIRS),
    Break("scores", "no delta", first(delta=None), PAIRS),
    Break("scores", "other experiment", first(experiment="x"), PAIRS),
    Break("scores", "other start", first(initial_rate=None), PAIRS),
    Break("scores", "other replicate", first(replicate=2), PAIRS),
    Break("scores", "other length", first(n_iterations=3), PAIRS),
    Break("latency", "pair missing", without_first, PAIRS),
    Break("latency", "other delta", first(delta=6.0), PAIRS),
    Break(
        "pareto",
        "off the front",
        lambda r: _swap(r, "kd_1", on_front=False),
        FRONT,
    ),
    Break("pareto", "dominated, on it", first(on_front=True), FRONT),
    Break(
        "pareto",
        "off the reference front",
        first(on_reference_front=False),
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
    Break("pareto", "point twice", also(), {"averages_scores"}),
    Break("pareto", "other cbs", first(cbs=0.01), {"averages_scores"}),
    Break("pareto", "other rscore", first(mean_rscore=0.01), {"averages_scores"}),
    Break("pareto", "none", lambda rows: [], {"averages_scores"}),
    Break("pareto", "other mean", first(mean_consumers=1.6), {"averages_scores"}),
    Break("pareto", "other count", first(replicates=3), {"averages_scores"}),
    Break("comparisons", "other difference", first(mean_difference=0.4, low=0.4), MEANS),
    Break("comparisons", "not in the run", first(algorithm="FF"), MEANS),
    Break("rankings", "one missing", without_first, {"ranks_complete"}),
    Break("rankings", "one twice", also(), {"ranks_complete"}),
    Break("rankings", "other rank", first(mean_rank=1.5), {"ranks_complete"}),
    Break("indicators", "all missing", lambda rows: rows[:1], WHOLE),
    Break("indicators", "all twice", lambda rows: [*rows, rows[1]], WHOLE),
    Break(
        "indicators",
        "less with more",
        lambda rows: [rows[0] | {"hypervolume": 0.5}, rows[1] | {"hypervolume": 0.25}],
        WHOLE,
    ),
    Break("indicators", "not covered", lambda rows: [rows[0], rows[1] | {"epsilon": 0.1}], WHOLE),
    Break("dominance", "one missing", without_first, {"every_reference_algorithm"}),
    Break("dominance", "one twice", also(), {"every_reference_algorithm"}),
    Break("dominance", "not of the paper", also(algorithm="kd_1"), {"every_reference_algorithm"}),
    Break("dominance", "other mean", first(cbs_common=0.6), {"every_reference_algorithm"}),
    Break("differences", "point missing", without_first, COMPARED),
    Break("differences", "point twice", also(), COMPARED),
    Break("differences", "other value", first(value=0.1, verdict="moved"), COMPARED),
    Break("differences", "not in the run", first(algorithm="FF"), COMPARED),
    Break(
        "pareto",
        "other delta",
        # Alone at its delta, FFD is no longer dominated there.
        first(delta=6.0, on_front=True),
        {"averages_scores", "on_front_consistent"},
    ),
)
"""Each breaks exactly the rules it names."""


def _swap(rows: Rows, algorithm: str, **values: object) -> Rows:
    """Change values of one algorithm's rows."""
    return [row | values if row["algorithm"] == algorithm else row for row in rows]
