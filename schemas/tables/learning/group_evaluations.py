"""Contract of `group_evaluations`: strategies of groups on what no agent has trained on."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, long, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.learning import group_columns


def _blocks(name: str, meaning: str, unit: str) -> Column:
    return Column(name, "array<double>", f"{meaning} in each block of 120 s.", unit, minimum=0)


TABLE = Table(
    name="group_evaluations",
    meaning="What stored policies, rules and a clairvoyant plan cost on each trace, in the "
    "simulation that all strategies of autoscaling share.",
    grain="trace, part, strategy with its setting, and seed of an agent",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        group_columns.POLICY,
        text("parameters", "Variant of an agent, parameters of a rule, or weight of clairvoyant."),
        integer("seed", "index", "Number of the agent, as in trainings; 0 for others."),
        text("trace", "Name of the trace."),
        text(
            "part",
            "Part of the trace: settings are chosen on validation, strategies judged on test.",
            ("validation", "test"),
        ),
        text(
            "split",
            "How the part is kept from training: later in time on a trace that agents train on, "
            "or another trace.",
            group_columns.SPLITS,
        ),
        integer("seconds", "s", "Length of the part.", 1),
        double("events", "events", "Events of the part."),
        double("replica_minutes", "replica-minutes", "Paid replicas, integrated over time."),
        double("late", "events", "Events with a latency above wsla_s, or without a departure."),
        long("changes", "actions", "Actions with more or fewer replicas."),
        _blocks("block_paid_s", "Replica-seconds", "replica-seconds"),
        _blocks("block_late", "Late events that departed", "events"),
        double(
            "lower",
            "s",
            "Proved bound: no strategy has less of replica-seconds / P + weight * late / "
            "late_unit.",
            null="The strategy is not clairvoyant.",
        ),
        *group_columns.FIGURE_COLUMNS,
    ),
    key=("run_id", "experiment", "policy", "parameters", "seed", "trace", "part"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "agents_have_seeds",
            "Exactly agents have a seed.",
            "(policy IN ('dqn', 'double_dqn')) = (seed > 0)",
        ),
        Check(
            "clairvoyant_has_bound",
            "Exactly clairvoyant plans have a bound.",
            "(policy = 'clairvoyant') = (lower IS NOT NULL)",
        ),
        Check(
            "blocks_match",
            "There are as many blocks of both.",
            "size(block_paid_s) = size(block_late)",
        ),
        Check(
            "late_are_events", "Not more events are late than there are.", "late <= events + 1e-6"
        ),
        Check(
            "changes_add_up",
            "Changes are actions with more or fewer replicas.",
            "changes = n_up + n_down",
        ),
    ),
    rules=(
        Rule(
            "every_group_policy_judged",
            "Every stored policy of a group is judged on as many test parts as the rules.",
            "SELECT experiment, agent, variant, seed FROM ("
            "SELECT experiment, policy AS agent, parameters AS variant, seed, "
            "count(DISTINCT trace) AS traces FROM {batch} "
            "WHERE seed > 0 AND part = 'test' GROUP BY experiment, policy, parameters, seed "
            "UNION ALL SELECT p.experiment, p.agent, p.variant, p.seed, t.traces FROM {policies} p "
            "JOIN (SELECT experiment, count(DISTINCT trace) AS traces FROM {batch} "
            "WHERE part = 'test' GROUP BY experiment) t ON t.experiment = p.experiment "
            "WHERE p.environment = 'group') "
            "GROUP BY experiment, agent, variant, seed "
            "HAVING count(*) <> 2 OR max(traces) <> min(traces)",
        ),
    ),
)
