"""Contract of `broker_episodes`: decisions on brokers, on a cluster and on measured rows."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, flag, integer, text
from schemas.rule import Check, Rule
from schemas.table import Table

DECIDERS = ("dqn", "double_dqn", "optimal", "threshold")
REWARDS = ("count", "violations", "weighted")
ROWS, KAFKA = "rows", "kafka"
LEARNING, ACTING = "learning", "acting"

_ROWS = "On measured rows."
_NONE = "Nothing was read, or rows do not have it."


def _latency(name: str, meaning: str) -> Column:
    percentile = f"95th percentile over the interval of {meaning}, each between two scrapes."
    return double(name, "ms", percentile, null=_NONE, measured=True)


TABLE = Table(
    name="broker_episodes",
    meaning="Decisions to add a broker to a Kafka cluster, to remove one, or to keep them, each "
    "with the interval after it; and the same decisions where measured rows stand for the cluster.",
    grain="experiment, cluster, decider, reward, phase, episode and decision",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        text("cluster", "Kafka brokers, or intervals drawn from measured rows.", (ROWS, KAFKA)),
        text("decider", "What decides.", DECIDERS),
        text("reward", "Reward of the decisions.", REWARDS),
        text("phase", "Whether it learns from these decisions, or only acts.", (LEARNING, ACTING)),
        integer("episode", "index", "Number of the episode, from 1.", 1),
        integer("step", "index", "Number of the decision, from 1.", 1),
        text("state", "Digest of the 37 metrics that were seen, 16 hexadecimal digits."),
        text(
            "refusal",
            "Why the metrics were not used as input, so that the brokers were kept.",
            null="They were used.",
        ),
        integer("action", "brokers", "What was decided: −1, 0 or 1 broker.", -1, 1, measured=True),
        flag("explores", "Whether another action than the best was drawn."),
        integer("before", "brokers", "Brokers before.", 1, measured=True),
        integer("after", "brokers", "Brokers at the end of the interval.", 1, measured=True),
        double("reward_value", "ratio", "Reward, by end-to-end latency.", None, measured=True),
        _latency("end_to_end_ms", "mean times from due to read"),
        _latency("produce_ms", "total times of produce requests"),
        _latency("summed_ms", "total times of produce and of consumers' fetch requests"),
        _latency("summed_busy_ms", "the same times without the wait for records"),
        double("loss", "ratio", "Loss of the update.", null="There was no update.", measured=True),
        double("seconds", "s", "Length of the interval.", null=_ROWS, measured=True),
        double(
            "scaling_s",
            "s",
            "Time until the broker had joined or left.",
            null="The brokers were kept, or on measured rows.",
            measured=True,
        ),
        integer("moves", "replicas", "Replicas that moved.", null=_ROWS, measured=True),
        text("kafka_version", "Version of Kafka.", null=_ROWS),
    ),
    key=(*("run_id", "experiment", "cluster", "decider", "reward", "phase", "episode", "step"),),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "at_most_the_action",
            "Brokers change by the action, or not at all at the limits.",
            "after - before = action OR after = before",
        ),
        Check(
            "refused_are_kept",
            "What is refused keeps the brokers, and is not explored.",
            "refusal IS NULL OR (action = 0 AND NOT explores)",
        ),
        Check(
            "measured_on_kafka",
            "Exactly decisions on Kafka brokers have a length, moves and a version.",
            "CASE WHEN cluster = 'kafka' THEN seconds IS NOT NULL AND moves IS NOT NULL "
            "AND kafka_version IS NOT NULL ELSE seconds IS NULL AND moves IS NULL "
            "AND kafka_version IS NULL AND scaling_s IS NULL END",
        ),
        Check(
            "scaled_if_changed",
            "On Kafka brokers, exactly changes take time.",
            "cluster = 'rows' OR (scaling_s IS NOT NULL) = (after <> before)",
        ),
    ),
    rules=(
        Rule(
            "steps_follow",
            "Decisions of an episode are numbered without a gap, and begin with the brokers that "
            "the one before left.",
            "SELECT experiment, cluster, decider, reward, phase, episode, step FROM ("
            "SELECT *, lag(after) OVER (PARTITION BY experiment, cluster, decider, reward, phase, "
            "episode ORDER BY step) AS left_by, row_number() OVER (PARTITION BY experiment, "
            "cluster, decider, reward, phase, episode ORDER BY step) AS place FROM {batch}) "
            "WHERE place <> step OR left_by <> before",
        ),
        Rule(
            "episodes_as_long",
            "All episodes of an experiment have as many decisions.",
            "SELECT experiment FROM (SELECT experiment, cluster, decider, reward, phase, episode, "
            "count(*) AS n FROM {batch} GROUP BY experiment, cluster, decider, reward, phase, "
            "episode) GROUP BY experiment HAVING min(n) <> max(n)",
        ),
    ),
)
