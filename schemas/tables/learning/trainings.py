"""Contract of `trainings`: how the training of each agent went, episode by episode."""

from schemas import shared_columns
from schemas.column import Column
from schemas.table import Table
from schemas.tables.learning import learning_columns

_SKIPPED = "The agent was not evaluated after this episode, or it scales a group."


def _curve(name: str, meaning: str, unit: str, **bounds: float) -> Column:
    return Column(
        name,
        "double",
        f"{meaning}, acting greedily on the held-out episodes after this one; of agents on groups "
        "on the validation parts.",
        unit,
        nullable=True,
        null_means=_SKIPPED,
        **bounds,  # type: ignore[arg-type]
    )


_CURVE = (
    _curve("greedy_reward", "Mean sum of rewards in an episode", "reward", maximum=0),
    _curve("score", "Share of the way from random actions (0) to the exact optimum (1)", "score"),
    _curve("brokers", "Mean number of brokers at the end", "brokers", minimum=0),
    _curve("over_slo_percent", "Intervals over the objective", "%", minimum=0, maximum=100),
    _curve("moves", "Mean changes of the number of brokers in an episode", "changes", minimum=0),
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
        Column(
            "total_reward",
            "double",
            "Sum of rewards in the episode, random actions included; at most 0.",
            "reward",
            maximum=0,
        ),
        Column(
            "loss",
            "double",
            "Mean loss of the updates in the episode.",
            "squared reward",
            nullable=True,
            null_means="The episode has no update.",
            minimum=0,
        ),
        Column(
            "epsilon",
            "double",
            "Probability of a random action at the end of the episode.",
            "probability",
            minimum=0,
            maximum=1,
        ),
        Column(
            "decisions",
            "int",
            "Decisions since the training began, at the end of the episode.",
            "decisions",
            minimum=1,
        ),
        *_CURVE,
        Column(
            "seconds",
            "double",
            "Time of the training, shared equally by all seeds and episodes of its task.",
            "s",
            minimum=0,
            measured=True,
        ),
    ),
    key=("run_id", *learning_columns.CELL, "seed", "episode"),
    partition_by=("run_id", "experiment"),
    rules=(learning_columns.every_episode(),),
)
