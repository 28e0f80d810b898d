"""Contract of `evaluations`: policies on episodes that no training has seen."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.learning import learning_columns

_NO_AGENT = "A policy that is not learned."

TABLE = Table(
    name="evaluations",
    meaning="What policies reach on held-out episodes: agents after each training episode, acting "
    "greedily, beside the exact optimum and rules.",
    grain="policy, reward, variant, and seed and training episode of an agent",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        Column(
            "policy",
            "string",
            "The agent, or what it is compared with: optimum, random, threshold, cpu, q_table, or "
            "static_n, which goes to n brokers.",
        ),
        learning_columns.REWARD,
        learning_columns.VARIANT,
        Column(
            "seed",
            "int",
            "Number of the agent, as in trainings.",
            "index",
            nullable=True,
            null_means=_NO_AGENT,
            minimum=1,
        ),
        Column(
            "episode",
            "int",
            "Training episodes of the agent so far.",
            "episodes",
            nullable=True,
            null_means=_NO_AGENT,
            minimum=1,
        ),
        Column("held_out", "int", "Held-out episodes.", "episodes", minimum=1),
        Column(
            "total_reward",
            "double",
            "Sum of rewards in an episode, mean over the held-out episodes; at most 0.",
            "reward",
            maximum=0,
        ),
        Column(
            "score",
            "double",
            "Share of the way from random actions (0) to the exact optimum (1) in total_reward.",
            "ratio",
        ),
        Column(
            "brokers",
            "double",
            "Brokers at the end of an episode, mean over the held-out episodes.",
            "brokers",
            minimum=0,
        ),
        Column(
            "over_slo_percent",
            "double",
            "Intervals whose 95th percentile of latency exceeds the reward's objective, that of "
            "reward 2 for reward 1.",
            "%",
            minimum=0,
            maximum=100,
        ),
        Column(
            "moves",
            "double",
            "Changes of the number of brokers in an episode, mean over the held-out episodes.",
            "changes",
            minimum=0,
        ),
    ),
    key=("run_id", "experiment", "policy", "reward", "variant", "seed", "episode"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "agents_have_seeds",
            "Exactly agents have a seed and an episode.",
            "(policy IN ('dqn', 'double_dqn')) = (seed IS NOT NULL) "
            "AND (seed IS NULL) = (episode IS NULL)",
        ),
    ),
    rules=(
        learning_columns.every_episode(
            "(SELECT *, policy AS agent FROM {batch} WHERE seed IS NOT NULL)"
        ),
    ),
    written_by=("evaluate_policies",),
    reads=("runs", "policies"),
)
