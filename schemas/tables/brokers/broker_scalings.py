"""Contract of `broker_scalings`: brokers that joined or left, and what it took."""

from functools import partial

from schemas import shared_columns
from schemas.column_kinds import double, integer, long, text
from schemas.metric import metric_of
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.brokers import broker_columns
from schemas.tables.brokers.broker_columns import counted

UP, DOWN = "up", "down"
DONE, CANCELLED, UNDONE = "done", "cancelled", "undone"
FAULTS = (
    "killed",
    "cancelled",
    "controller",
    "kraft-controller-killed",
    "disk-full",
    "disk-stays-full",
)

TABLE = Table(
    name="broker_scalings",
    meaning="Brokers that joined a Kafka cluster or left it: replicas that moved against the "
    "least number, balance, and times.",
    grain="experiment and scaling",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        broker_columns.SCALING,
        text("kind", "A broker joins (up) or leaves (down).", (UP, DOWN)),
        integer("broker", "id", "The broker.", 1),
        counted("before", "Brokers before.", "brokers", 1),
        counted("after", "Brokers afterwards.", "brokers", 1),
        text(
            "fault",
            "What happened while partitions moved: kill -9 of the broker, a cancelled "
            "reassignment after a kill -9 of our controller, that kill alone, kill -9 of the "
            "active KRaft controller, or a full disk of the broker that joins, for a while or for "
            "good.",
            FAULTS,
            null="None.",
        ),
        text(
            "outcome",
            "Finished, cancelled while partitions moved, or undone: the broker that joined was "
            "taken out again.",
            (DONE, CANCELLED, UNDONE),
        ),
        counted("controllers", "Processes of our controller that worked on it.", "processes", 1),
        counted("restarts", "Times that the joining broker was restarted.", "restarts"),
        counted("partitions", "Partitions of all topics, internal ones included.", "partitions"),
        counted("moves", "Replicas to copy by the plan.", "replicas"),
        counted("bound", "Replicas that no plan with this balance can do without.", "replicas"),
        long("moved_bytes", "bytes", "Bytes of these replicas.", measured=True),
        counted("replica_spread", "Replicas per broker by the plan: most − least.", "replicas"),
        counted("leader_spread", "Leaders per broker afterwards: most − least.", "partitions"),
        counted("leaderless", "Partitions without a leader afterwards.", "partitions"),
        double("begins_s", "s", "When it began, after the first record.", measured=True),
        double(
            "start_s",
            "s",
            "Time until the broker answered and was registered.",
            null="It left.",
            measured=True,
        ),
        double(
            "move_s",
            "s",
            "Time from the order until no partition moved.",
            null="It was not finished.",
            measured=True,
        ),
        double(
            "election_s",
            "s",
            "Time from the kill of the active KRaft controller until brokers named another one.",
            null="None was killed.",
            measured=True,
        ),
        double("total_s", "s", "Time of all phases.", measured=True),
    ),
    key=("run_id", "experiment", "scaling"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check("moves_at_least_bound", "No plan beats the bound.", "moves >= bound"),
        Check(
            "brokers_of_kind",
            "A broker more or fewer; one that was to leave stays if that was cancelled, and one "
            "that joined is gone again if that was undone.",
            "after = CASE WHEN outcome = 'undone' THEN before WHEN kind = 'up' THEN before + 1 "
            "WHEN outcome = 'done' THEN before - 1 ELSE before END",
        ),
        Check(
            "start_of_joining",
            "Exactly brokers that join start.",
            "(kind = 'up') = (start_s IS NOT NULL)",
        ),
        Check(
            "finished_or_not",
            "Exactly finished scalings have moved everything.",
            "(outcome = 'done') = (move_s IS NOT NULL)",
        ),
        Check(
            "joined_and_undone", "What is undone has joined.", "outcome <> 'undone' OR kind = 'up'"
        ),
        Check(
            "elected_after_kill",
            "Exactly a kill of the active KRaft controller is followed by an election.",
            "(coalesce(fault, '') = 'kraft-controller-killed') = (election_s IS NOT NULL)",
        ),
    ),
    rules=(
        Rule(
            "scalings_of_runs",
            "An experiment has a row for each of its scalings.",
            "SELECT experiment FROM (SELECT experiment, 1 AS n FROM {batch} UNION ALL "
            "SELECT experiment, -scalings FROM {broker_runs} WHERE producers = 'plain') "
            "GROUP BY experiment HAVING sum(n) <> 0",
        ),
    ),
)

# Measurements differ from run to run: none is gated.
_metric = partial(metric_of, TABLE, followed=False)

METRICS = (
    _metric("total_s", "time of a scaling of brokers", "scaling", name="broker_scaling_time"),
    _metric("move_s", "time of moves of partitions", "move", name="broker_move_time"),
)
