"""Contract of `trainings`: how the training of each agent went, episode by episode."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer
from schemas.table import Table
from schemas.tables.learning import learning_columns

_SKIPPED = "The agent was not evaluated after this episode, or it scales a group."


def _curve(
    name: str, meaning: str, unit: str, minimum: float | None, maximum: float | None = None
) -> Column:
    acting = "acting greedily on the held-out episodes after this one"
    parts = "of agents on groups on the validation parts"
    return double(name, unit, f"{meaning}, {acting}; {parts}.", minimum, maximum, null=_SKIPPED)


_CURVE = (
    _curve("greedy_reward", "Mean sum of rewards in an episode", "reward", None, 0),
    _curve(
        "score", "Share of the way from random actions (0) to the exact optimum (1)", "score", None
    ),
    _curve("brokers", "Mean number of brokers at the end", "brokers", 0),
    _curve("over_slo_percent", "Intervals over the objective", "%", 0, 100),
    _curve("moves", "Mean changes of the number of brokers in an episode", "changes", 0),
)

TABLE = Table(
    name="trainings",
    meaning="Training of an agent, episode by episode: reward, loss and exploration. An episode of "
    "an agent on a group ends when it is judged on the validation parts.",
    grain="agent, reward, variant, seed and training episode",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        learning_columns.AGENT,
        learning_columns.REWARD,
        learning_columns.VARIANT,
        learning_columns.SEED,
        learning_columns.EPISODES,
        double(
            "total_reward",
            "reward",
            "Sum of rewards in the episode, random actions included; at most 0.",
            None,
            0,
        ),
        double("loss", "squared reward", "Mean loss of the updates.", null="There was no update."),
        double(
            "epsilon",
            "probability",
            "Probability of a random action at the end of the episode.",
            0,
            1,
        ),
        integer("decisions", "decisions", "Decisions of the training until the episode ends.", 1),
        *_CURVE,
        double(
            "seconds",
            "s",
            "Time of the training, shared equally by all seeds and episodes of its task.",
            measured=True,
        ),
    ),
    key=("run_id", *learning_columns.CELL, "seed", "episode"),
    partition_by=("run_id", "experiment"),
    rules=(learning_columns.every_episode(),),
)
