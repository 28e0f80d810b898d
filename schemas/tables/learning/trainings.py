"""Contract of `trainings`: how the training of each agent went, episode by episode."""

from schemas import shared_columns
from schemas.column import Column
from schemas.table import Table
from schemas.tables.learning import learning_columns

TABLE = Table(
    name="trainings",
    meaning="Training of an agent, episode by episode: reward, loss and exploration.",
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
    written_by=("train_agents",),
    reads=("runs",),
)
