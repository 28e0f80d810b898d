"""The contracts hold what is promised to users of the tables."""

from __future__ import annotations

import pytest

from schemas import TABLES, Rule, Table
from schemas.column import NUMBERS
from schemas.tables.autoscaling.simulations import LATENCIES
from tests.schemas import bounds_rows

# The public interface: these columns may be joined by others, but never leave or change name.
PROMISED = {
    "runs": "run_id status preset created_at finished_at config seed versions stage_timings error",
    "streams": "run_id stream_id experiment source delta replicate seed initial_rate partitions"
    " n_iterations capacity consumer_capacity name digest",
    "measurements": "run_id experiment delta stream_id iteration rates",
    "assignments": "run_id experiment delta stream_id algorithm iteration n_consumers"
    " n_migrations rscore min_consumers consumers",
    "bounds": "run_id stream_id iteration kind algorithm lower upper proved method l2 seconds",
    "scores": "run_id stream_id experiment delta initial_rate replicate algorithm n_iterations"
    " mean_consumers cbs mean_rscore mean_migrations cbs_optimum_low cbs_optimum_high"
    " rscore_gap_low rscore_gap_high peak_consumers moving_share rebalances_per_day",
    "latency": "run_id stream_id experiment delta initial_rate replicate algorithm"
    " mean_consumers n_samples n_positive p50 p90 p99 max histogram",
    "pareto": "run_id experiment delta algorithm replicates cbs cbs_low cbs_high mean_rscore"
    " mean_rscore_low mean_rscore_high mean_consumers eligible on_front on_reference_front",
    "comparisons": "run_id experiment delta metric algorithm other replicates mean_difference low"
    " high statistic p p_holm note",
    "rankings": "run_id experiment delta metric algorithm replicates algorithms mean_rank statistic"
    " p critical_difference groups note",
    "indicators": "run_id experiment delta front replicates algorithms hypervolume hypervolume_low"
    " hypervolume_high hypervolume_of_means epsilon epsilon_low epsilon_high cbs_25 mean_rscore_25"
    " cbs_50 mean_rscore_50 cbs_75 mean_rscore_75 note",
    "dominance": "run_id experiment delta algorithm replicates cbs_common mean_rscore dominated_by"
    " dominators cbs_difference cbs_difference_low cbs_difference_high rscore_difference"
    " rscore_difference_low rscore_difference_high replicates_dominated",
    "simulations": "run_id experiment stream_id workload replicate strategy setting source protocol"
    " arrivals assignor mu wsla_s startup_s rebalance_s heartbeat_s cooldown_s decision_offset_s"
    " initial_replicas min_replicas move_pause_s service_cv second_heartbeat_s"
    " assignment_interval_s max_poll_records commit_s static_members leave_on_close session_s"
    " placement_draw replica_minutes sla_percent mean p50"
    " p90 p95 p99 p999 max n_up n_down n_reassign partitions_moved peak_lag unconsumed stalled_s"
    " least_minutes",
    "trajectories": "run_id experiment stream_id strategy setting iteration replicas lag arrived"
    " served late stalled_s",
    "actions": "run_id experiment stream_id strategy setting action time_s kind replicas_before"
    " replicas_after moved settled_after_s",
    "trade_offs": "run_id experiment workload strategy setting replicates sla_percent"
    " sla_percent_low sla_percent_high replica_minutes replica_minutes_low replica_minutes_high"
    " partitions_moved partitions_moved_low partitions_moved_high eligible on_front dominated_by"
    " replicates_dominated regret regret_low regret_high hypervolume hypervolume_low"
    " hypervolume_high",
    "published_figures": "run_id figure_key source location its_workload its_strategy candidate"
    " figure unit published published_value ours our_value low high interval_text"
    " difference verdict note",
    "live_runs": "run_id experiment stream_id replicate strategy mode speeds n_partitions"
    " n_iterations iteration_seconds capacity consumer_rate record_bytes nodes kafka_version"
    " client_version cores load overhead unsound_iterations faults drained sent read mean_consumers"
    " plans moves gap_p50_s batch_histogram",
    "live_plans": "run_id experiment stream_id strategy plan iteration reason consumers_before"
    " consumers_after created retired moves rscore speeds_known_s decided_s handed_s created_s"
    " moved_s gap_p50_s gap_max_s",
    "live_events": "run_id experiment stream_id strategy event time_s component kind consumer"
    " incarnation plan partition epoch next_offset",
    "live_lag": "run_id experiment stream_id strategy second partition end_offset processed lag"
    " lag_bytes owner speed measured_speed",
    "live_latency": "run_id experiment stream_id replicate strategy mean_consumers n_samples"
    " n_positive p50 p90 p99 max histogram",
    "live_integrity": "run_id experiment stream_id strategy partition sent read lost twice"
    " out_of_order overlapping_epochs epochs owner_changes longest_gap_s",
    "live_agreement": "run_id experiment stream_id strategy quantity unit measured predicted_a"
    " error_a tolerance_a predicted_b error_b tolerance_b verdict",
    "trainings": "run_id experiment agent reward variant seed episode total_reward loss epsilon"
    " greedy_reward score brokers over_slo_percent moves decisions seconds",
    "policies": "run_id experiment agent reward variant seed environment format_version layers"
    " settings weights digest",
    "evaluations": "run_id experiment policy reward variant seed held_out total_reward score"
    " brokers over_slo_percent moves idle_weight",
    "learning_scores": "run_id experiment agent reward variant seeds successes share share_low"
    " share_high score score_low score_high worst best brokers over_slo_percent moves",
    "learning_verdicts": "run_id experiment claim location subject statement measure seeds value"
    " low high verdict variants_agreeing variants note",
    "group_evaluations": "run_id experiment policy parameters seed trace part split seconds events"
    " replica_minutes late changes block_paid_s block_late lower sla_percent mean p50 p90 p95 p99"
    " p999 max n_up n_down n_reassign partitions_moved peak_lag unconsumed stalled_s",
    "group_scores": "run_id experiment weight split policy parameters seeds traces replicas"
    " late_percent regret regret_low regret_high best worst reference share share_low share_high"
    " chosen",
    "group_fronts": "run_id experiment split policy variant points seeds traces hypervolume"
    " hypervolume_low hypervolume_high",
    "baselines": "run_id promoted_at promoted_by reason",
    "differences": "run_id baseline_run_id experiment delta algorithm metric value baseline_value"
    " low high expected verdict",
    "validations": "run_id table_name rule expectation meaning expected observed unexpected_count"
    " success checked_at",
}
KEYS = {
    "runs": "run_id",
    "streams": "run_id stream_id",
    "measurements": "run_id stream_id iteration",
    "assignments": "run_id stream_id algorithm iteration",
    "bounds": "run_id stream_id iteration kind algorithm",
    "scores": "run_id stream_id algorithm",
    "latency": "run_id stream_id algorithm",
    "pareto": "run_id experiment delta algorithm",
    "comparisons": "run_id experiment delta metric algorithm other",
    "rankings": "run_id experiment delta metric algorithm",
    "indicators": "run_id experiment delta front",
    "dominance": "run_id experiment delta algorithm",
    "simulations": "run_id stream_id strategy setting",
    "trajectories": "run_id stream_id strategy setting iteration",
    "actions": "run_id stream_id strategy setting action",
    "trade_offs": "run_id experiment strategy setting",
    "published_figures": "run_id figure_key",
    "live_runs": "run_id stream_id strategy",
    "live_plans": "run_id stream_id strategy plan",
    "live_events": "run_id stream_id strategy event",
    "live_lag": "run_id stream_id strategy second partition",
    "live_latency": "run_id stream_id strategy",
    "live_integrity": "run_id stream_id strategy partition",
    "live_agreement": "run_id stream_id strategy quantity",
    "trainings": "run_id experiment agent reward variant seed episode",
    "policies": "run_id experiment agent reward variant seed",
    "evaluations": "run_id experiment policy reward variant seed",
    "learning_scores": "run_id experiment agent reward variant",
    "learning_verdicts": "run_id experiment claim subject",
    "group_evaluations": "run_id experiment policy parameters seed trace part",
    "group_scores": "run_id experiment weight split policy parameters",
    "group_fronts": "run_id experiment split policy variant",
    "baselines": "run_id promoted_at",
    "differences": "run_id experiment delta algorithm metric",
    "validations": "run_id table_name rule",
}
# What must be checked before a run is published, and the rule that does it.
SUITES = {
    "runs": "one_row",
    "streams": "streams_planned partitions_distinct",
    "measurements": "iterations_once streams_times_iterations",
    "assignments": "iterations_once streams_times_algorithms_times_iterations within_capacity",
    "bounds": "interval_ordered no_assignment_has_fewer_consumers no_assignment_has_less_rscore"
    " bounds_planned",
    "scores": "streams_times_algorithms reference_cbs gaps_ordered",
    "latency": "streams_times_algorithms percentiles_ordered positive_within_samples"
    " histogram_total histogram_bins",
    "pareto": "on_front_consistent averages_scores cbs_interval mean_rscore_interval",
    "comparisons": "two_algorithms difference_interval tested_or_noted differences_of_means",
    "rankings": "rank_within_algorithms tested_or_noted ranks_complete",
    "indicators": "hypervolume_interval epsilon_interval valued_or_noted surfaces_have_corners"
    " more_algorithms_no_less",
    "dominance": "dominated_by_another dominated_replicates cbs_difference_interval"
    " rscore_difference_interval every_reference_algorithm",
    "simulations": "streams_times_strategies latencies_ordered bound_holds",
    "trajectories": "iterations_once streams_times_strategies",
    "actions": "kind_follows actions_of_simulations",
    "trade_offs": "fronts_consistent averages_simulations dominated_off_front sla_percent_interval"
    " replica_minutes_interval partitions_moved_interval regret_interval hypervolume_interval",
    "live_runs": "streams_times_live_strategies capacity_within_rate read_within_sent few_unsound"
    " batches_in_cycles",
    "live_plans": "consumers_add_up gaps_ordered plans_of_runs",
    "live_events": "kind_of_component partition_with_epoch moves_of_plans faults_of_runs",
    "live_lag": "lag_is_the_rest every_second_and_partition",
    "live_latency": "streams_times_live_strategies positive_within_samples percentiles_ordered"
    " histogram_bins histogram_total",
    "live_integrity": "nothing_lost reads_within_sent every_partition faultless_exactly_once"
    " moves_add_up",
    "live_agreement": "streams_times_live_strategies unit_of_quantity error_of_a error_of_b"
    " latencies_have_b verdict_of_errors quantities_of_runs",
    "trainings": "episodes_planned",
    "policies": "policies_planned",
    "evaluations": "agents_have_seeds every_policy_evaluated",
    "learning_scores": "share_of_seeds scores_ordered cells_planned successes_counted",
    "learning_verdicts": "enough_seeds whole_sensitivity_table interval_around_value"
    " variants_counted",
    "group_evaluations": "agents_have_seeds clairvoyant_has_bound blocks_match late_are_events"
    " changes_add_up every_group_policy_judged",
    "group_scores": "regrets_ordered agents_have_shares",
    "group_fronts": "area_within_interval",
    "differences": "verdict_follows pareto_compared trade_offs_compared",
}
COUNTED = {
    "measurements": "wrong_length invalid_rates",
    "assignments": "unassigned misplaced consumers_out_of_range consumers_mismatch"
    " migrations_mismatch rscore_mismatch rscore_above_total below_minimum",
    "trajectories": "late_beyond_served",
}

each_table = pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
each_contract = pytest.mark.parametrize(
    "table", bounds_rows.contracts().values(), ids=bounds_rows.contracts()
)


def test_tables_in_the_order_in_which_a_run_fills_them() -> None:
    assert list(TABLES) == list(PROMISED)


@each_table
def test_promised_columns(table: Table) -> None:
    assert set(PROMISED[table.name].split()) <= {column.name for column in table.columns}


@each_table
def test_key(table: Table) -> None:
    assert table.key == tuple(KEYS[table.name].split())


@each_table
def test_rows_are_replaced_run_by_run(table: Table) -> None:
    assert table.partition_by[0] == "run_id"
    assert table.column("run_id").nullable is False


@pytest.mark.parametrize("name", ["measurements", "assignments", "latency"])
def test_stages_split_into_units_write_their_own_partitions(name: str) -> None:
    assert TABLES[name].partition_by == ("run_id", "experiment", "delta")


@pytest.mark.parametrize(
    "name",
    [
        *("simulations", "trajectories", "actions"),
        *("live_runs", "live_plans", "live_events", "live_lag"),
        *("live_latency", "live_integrity", "live_agreement"),
    ],
)
def test_a_unit_of_autoscaling_or_of_live_runs_is_an_experiment(name: str) -> None:
    assert TABLES[name].partition_by == ("run_id", "experiment")


@pytest.mark.parametrize("name", SUITES)
def test_promised_rules(name: str) -> None:
    assert set(SUITES[name].split()) <= {item.name for item in TABLES[name].conditions}


@pytest.mark.parametrize("name", COUNTED)
def test_nothing_wrong_may_be_counted(name: str) -> None:
    audit = TABLES[name].audit
    assert audit is not None
    limits = {column.name: (column.minimum, column.maximum) for column in audit.columns}
    for column in COUNTED[name].split():
        assert limits[column] == (0, 0)


@each_contract
def test_numbers_have_units_and_nulls_a_meaning(table: Table) -> None:
    for column in table.columns:
        assert len(column.meaning.split()) >= 2, column.name
        assert bool(column.unit) == (column.element_type in NUMBERS), column.name
        assert bool(column.null_means) == (column.nullable or column.element_nullable)


@each_contract
def test_a_key_column_is_never_null_but_where_there_is_nothing_to_name(table: Table) -> None:
    """Traces have no delta, and the fewest consumers depend on no algorithm."""
    known = {"delta", "algorithm"} if table.name == "bounds" else {"delta"}
    assert {name for name in table.key if table.column(name).nullable} <= known


@each_contract
def test_counts_and_speeds_are_not_negative(table: Table) -> None:
    signed = {"cbs", "cbs_low", "cbs_high", "mean_rscore_low", "mean_rscore_high"}
    signed |= {"cbs_optimum_low", "cbs_optimum_high"}
    signed |= {"cbs_common", "cbs_common_low", "cbs_common_high", "cbs_25", "cbs_50", "cbs_75"}
    signed |= {"hypervolume_low", "hypervolume_high", "epsilon", "epsilon_low", "epsilon_high"}
    ends = ("", "_low", "_high")
    signed |= {f"{name}_difference{end}" for name in ("cbs", "rscore") for end in ends}
    signed |= {"mean_difference", "error_a", "error_b", "time_s"}
    # Rewards are at most 0, and scores below 0 where random actions are better.
    signed |= {"total_reward", "greedy_reward", "score", "score_low", "score_high"}
    signed |= {"worst", "best"}
    # A plan that carries lag can cost less than the clairvoyant one, which does not.
    signed |= {"regret", "regret_low", "regret_high"}
    # A saving can be negative.
    signed |= {"our_value"}
    # Any metric, CBS among them.
    signed |= {"value", "baseline_value", "low", "high"}
    for column in table.columns:
        if column.element_type in NUMBERS and column.name not in signed:
            lowest = column.minimum if column.minimum is not None else column.exclusive_minimum
            assert lowest is not None, column.name
            assert lowest >= 0, column.name


def test_only_latency_and_what_is_said_of_it_may_be_infinite() -> None:
    infinite = {
        f"{table.name}.{column.name}"
        for table in TABLES.values()
        for column in table.columns
        if column.infinity_allowed
    }
    latency = {f"latency.{name}" for name in ("p50", "p90", "p99", "max")}
    compared = {f"differences.{name}" for name in ("value", "baseline_value", "low", "high")}
    simulated = {f"{t}.{name}" for t in ("simulations", "group_evaluations") for name in LATENCIES}
    predicted = {f"live_agreement.{name}" for name in ("predicted_a", "predicted_b")}
    assert infinite == latency | simulated | compared | predicted


def test_a_column_means_the_same_in_every_table() -> None:
    shared = "run_id experiment delta stream_id replicate initial_rate iteration algorithm strategy"
    shared += " setting workload"
    for name in shared.split():
        columns = {
            column
            for table in bounds_rows.contracts().values()
            for column in table.columns
            # In a table that outlives runs, a run is what a row is about, not what wrote it.
            if column.name == name and not table.lasting
            # Only part of the bounds is about an algorithm, and differences can be of a strategy.
            if name != "algorithm" or table.name not in ("bounds", "differences")
        }
        assert len(columns) == 1, name


@each_table
def test_rules_read_only_what_the_table_is_made_from_or_the_plan(table: Table) -> None:
    lineage = {*table.reads, "runs", "streams"}
    read = {name for item in table.conditions if isinstance(item, Rule) for name in item.tables}
    assert read <= lineage


@each_table
def test_lineage_is_stated(table: Table) -> None:
    assert table.written_by
    assert bool(table.reads) == (table.name != "runs")


def test_only_promotions_outlive_their_run() -> None:
    from pipeline.storage import tables

    assert {name for name, table in TABLES.items() if table.lasting} == {"baselines"}
    assert set(tables.DATA) == TABLES.keys() - {"runs", "baselines"}


def test_large_tables_are_audited_in_frames_that_are_not_stored() -> None:
    assert {name for name, table in TABLES.items() if table.audit} == set(COUNTED)
    assert all(table.audit.transient for table in TABLES.values() if table.audit)
    assert not any(table.transient for table in TABLES.values())
