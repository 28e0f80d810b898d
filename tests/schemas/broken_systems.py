"""Ways in which rows of experiments on real systems can contradict each other."""

from __future__ import annotations

from tests.schemas.row_breaks import Break, also, first, last, without_first

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
    Break("live_runs", "one missing", without_first, LIVE_STRATEGIES),
    Break("live_runs", "one twice", also(), LIVE_STRATEGIES),
    Break("live_runs", "unknown strategy", also(strategy="BFD"), LIVE_STRATEGIES),
    Break("live_runs", "unknown stream", also(stream_id="x"), LIVE_STRATEGIES),
    Break("live_plans", "one missing", without_first, LIVE_PLANS),
    Break("live_plans", "one too many", also(plan=9), LIVE_PLANS),
    Break("live_plans", "other moves", first(moves=1), LIVE_PLANS),
    Break("live_plans", "unknown stream", also(stream_id="x"), LIVE_PLANS),
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
        also(event=9, component="fault", kind="lost"),
        {"faults_of_runs"},
    ),
    Break("live_lag", "one missing", without_first, {"every_second_and_partition"}),
    Break("live_lag", "too long", first(second=9), {"every_second_and_partition"}),
    Break("live_lag", "other partition", first(partition=2), {"every_second_and_partition"}),
    Break("live_lag", "unknown stream", also(stream_id="x"), {"every_second_and_partition"}),
    Break("live_lag", "none", lambda rows: [], {"every_second_and_partition"}),
    Break("live_courses", "first missing", without_first, {"seconds_of_simulated_runs"}),
    Break("live_courses", "unknown stream", also(stream_id="x"), {"seconds_of_simulated_runs"}),
    Break("live_latency", "one missing", without_first, LIVE_STRATEGIES),
    Break("live_latency", "one twice", also(), LIVE_STRATEGIES),
    Break("live_integrity", "one missing", lambda rows: rows[:-1], {"every_partition"}),
    Break("live_integrity", "other partition", lambda r: last(r, partition=2), {"every_partition"}),
    Break(
        "live_integrity",
        "unknown stream",
        also(stream_id="x", owner_changes=0),
        {"every_partition"},
    ),
    Break("live_integrity", "none", lambda rows: [], {"every_partition", "moves_add_up"}),
    Break("live_integrity", "twice", first(twice=1), {"faultless_exactly_once"}),
    Break("live_integrity", "disordered", first(out_of_order=1), {"faultless_exactly_once"}),
    Break("live_integrity", "overlapping", first(overlapping_epochs=1), {"faultless_exactly_once"}),
    Break("live_integrity", "other owners", first(owner_changes=0), {"moves_add_up"}),
    Break(
        "live_agreement",
        "one missing",
        without_first,
        LIVE_STRATEGIES | LIVE_QUANTITIES,
    ),
    Break("live_agreement", "latency missing", lambda rows: rows[:-1], LIVE_QUANTITIES),
    Break("live_agreement", "other value", first(measured=2.1, error_a=0.1), LIVE_QUANTITIES),
    Break(
        "live_agreement", "unknown stream", also(stream_id="x"), LIVE_STRATEGIES | LIVE_QUANTITIES
    ),
    Break("live_recoveries", "one missing", without_first, {"whole_events"}),
    Break("live_recoveries", "other time", first(at_s=5.0), {"whole_events"}),
    Break(
        "live_recoveries",
        "unknown stream",
        also(stream_id="x"),
        {"whole_events", "events_of_runs"},
    ),
    Break(
        "live_recoveries",
        "more late than read",
        first(measured=801.0, predicted=801.0),
        {"events_of_runs"},
    ),
)
"""Those of the experiment that ran on a broker."""

PULSAR = (
    Break("pulsar_intervals", "one missing", without_first, {"intervals_of_runs"}),
    Break("pulsar_intervals", "unknown run", also(replicate=2), {"intervals_of_runs"}),
    Break("pulsar_steps", "first missing", without_first, {"steps_of_runs"}),
    Break("pulsar_steps", "unknown run", also(replicate=2), {"steps_of_runs"}),
    Break("pulsar_steps", "none", lambda rows: [], {"steps_of_runs"}),
    Break("pulsar_changes", "one missing", without_first, {"changes_of_runs"}),
    Break("pulsar_changes", "one more", also(change=2), {"changes_of_runs"}),
)
"""Those of the experiment on Pulsar."""

BROKERS = (
    Break("broker_runs", "one missing", without_first, {"both_producers"}),
    Break("broker_scalings", "one missing", without_first, {"scalings_of_runs"}),
    Break("broker_scalings", "one more", also(scaling=4), {"scalings_of_runs"}),
    Break("broker_pauses", "one missing", without_first, {"pauses_of_scalings"}),
    Break("broker_pauses", "unknown scaling", also(scaling=4), {"pauses_of_scalings"}),
    Break("broker_episodes", "one missing", without_first, {"steps_follow", "episodes_as_long"}),
    Break("broker_episodes", "one more", lambda r: [*r, r[-1] | {"step": 4}], {"episodes_as_long"}),
    Break("broker_episodes", "other brokers", lambda r: last(r, before=4), {"steps_follow"}),
)
"""Those of the experiment with brokers that join and leave."""
