"""Contract of `evaluations`: policies on episodes that no training has seen."""

from schemas import shared_columns
from schemas.column_kinds import double, integer, text
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
        text(
            "policy",
            "The agent, or what it is compared with: optimal, random, threshold, cpu, q_table, or "
            "static_n, which goes to n brokers.",
        ),
        learning_columns.REWARD,
        learning_columns.VARIANT,
        integer(
            "seed",
            "index",
            "Number of the agent, as in trainings, or of q_table, which is learned as often; 0 "
            "for what is not learned.",
        ),
        integer("held_out", "episodes", "Held-out episodes.", 1),
        double("total_reward", "reward", "Sum of rewards, mean over held-out episodes.", None, 0),
        double(
            "score",
            "score",
            "Share of the way from random actions (0) to the exact optimum (1) in total_reward.",
            None,
        ),
        double("brokers", "brokers", "Brokers as an episode ends, mean over held-out episodes."),
        double(
            "over_slo_percent",
            "%",
            "Intervals whose 95th percentile of latency exceeds the reward's objective.",
            0,
            100,
        ),
        double("moves", "changes", "Changes of brokers in an episode, mean over episodes."),
        double(
            "idle_weight",
            "ratio",
            "Norm of the first-layer weights of inputs that decide nothing, divided by that "
            "before training.",
            null="A rule, or every input decides.",
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
