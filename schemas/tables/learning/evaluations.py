"""Contract of `evaluations`: policies on episodes that no training has seen."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.learning import learning_columns

TABLE = Table(
    name="evaluations",
    meaning="What stored policies of brokers reach on held-out episodes, acting greedily, next to "
    "the exact optimum and rules.",
    grain="policy, reward, variant, and seed of an agent",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        Column(
            "policy",
            "string",
            "The agent, or what it is compared with: optimal, random, threshold, cpu, q_table, or "
            "static_n, which goes to n brokers.",
        ),
        learning_columns.REWARD,
        learning_columns.VARIANT,
        Column(
            "seed",
            "int",
            "Number of the agent, as in trainings, or of q_table, which is learned as often; 0 for "
            "what is not learned.",
            "index",
            minimum=0,
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
            "score",
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
            "Intervals whose 95th percentile of latency exceeds the reward's objective.",
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
        Column(
            "idle_weight",
            "double",
            "Norm of the first-layer weights of inputs that decide nothing, divided by that "
            "before training.",
            "ratio",
            nullable=True,
            null_means="A rule, or every input decides.",
            minimum=0,
        ),
    ),
    key=("run_id", "experiment", "policy", "reward", "variant", "seed"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "agents_have_seeds",
            "Agents have a seed, and of all others q_table alone.",
            "policy = 'q_table' OR ((policy IN ('dqn', 'double_dqn')) = (seed > 0))",
        ),
    ),
    rules=(
        Rule(
            "every_policy_evaluated",
            "Every stored policy is evaluated once, and as good as at the end of its training.",
            "SELECT experiment, agent, reward, variant, seed FROM ("
            "SELECT experiment, policy AS agent, reward, variant, seed, total_reward AS reached, "
            "1 AS found FROM {batch} WHERE policy IN ('dqn', 'double_dqn') UNION ALL "
            "SELECT experiment, agent, reward, variant, seed, "
            "max_by(greedy_reward, episode) AS reached, 0 AS found FROM {trainings} "
            "WHERE reward <> 'late' "
            "GROUP BY experiment, agent, reward, variant, seed) "
            "GROUP BY experiment, agent, reward, variant, seed "
            "HAVING count(*) <> 2 OR sum(found) <> 1 "
            "OR max(reached) - min(reached) > 1e-9 * (1 + abs(min(reached)))",
        ),
    ),
)
