"""Contract of `learning_scores`: what agents reach over their seeds."""

from functools import partial

from schemas import shared_columns
from schemas.column_kinds import double, ends, integer
from schemas.metric import metric_of
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.learning import learning_columns

_FEW = "There is one seed only."


TABLE = Table(
    name="learning_scores",
    meaning="What an agent reaches over its seeds after all training episodes: share of seeds that "
    "succeed and interquartile mean, with intervals.",
    grain="agent, reward and variant",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        learning_columns.AGENT,
        learning_columns.REWARD,
        learning_columns.VARIANT,
        integer("seeds", "seeds", "Agents with different random numbers.", 1),
        integer("successes", "seeds", "Seeds with a score of at least 0.95."),
        double("share", "ratio", "successes / seeds.", 0, 1),
        *ends("share", "ratio", "the exact 95 % interval of share", 0, 1),
        double("score", "score", "Interquartile mean of the seeds' scores.", None),
        *ends("score", "score", "the 95 % bootstrap interval of score over seeds", null=_FEW),
        double("worst", "score", "Lowest score of a seed.", None),
        double("best", "score", "Highest score of a seed.", None),
        double("brokers", "brokers", "Brokers at the end, mean over seeds."),
        double("over_slo_percent", "%", "Intervals over the objective, mean over seeds.", 0, 100),
        double("moves", "changes", "Changes of brokers in an episode, mean over seeds."),
    ),
    key=("run_id", *learning_columns.CELL),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "share_of_seeds",
            "The share is successes / seeds and lies within its interval.",
            "abs(share * seeds - successes) < 1e-9 AND share_low <= share + 1e-9 "
            "AND share <= share_high + 1e-9",
        ),
        Check("scores_ordered", "worst <= score <= best.", "worst <= score AND score <= best"),
    ),
    rules=(
        learning_columns.every_cell(),
        Rule(
            "successes_counted",
            "Successes are the seeds whose evaluation has a score of at least 0.95.",
            "SELECT experiment, agent, reward, variant FROM ("
            "SELECT experiment, agent, reward, variant, successes AS wanted, 0 AS n FROM {batch} "
            "UNION ALL SELECT experiment, policy, reward, variant, 0, count_if(score >= 0.95) "
            "FROM {evaluations} WHERE policy IN ('dqn', 'double_dqn') "
            "GROUP BY experiment, policy, reward, variant) "
            "GROUP BY experiment, agent, reward, variant HAVING sum(wanted) <> sum(n)",
        ),
    ),
)

_metric = partial(metric_of, TABLE, followed=False)

METRICS = (
    _metric("share", "seeds that succeed", "succeed", 0, name="learning_share", better="higher"),
    _metric(
        "score",
        "score: 0 random, 1 optimal; interquartile mean",
        "score",
        2,
        name="learning_score",
        better="higher",
    ),
    _metric("brokers", "brokers at the end", "brokers", 1, name="learning_brokers"),
    _metric(
        "over_slo_percent", "intervals over the objective", "over", 1, name="learning_over_slo"
    ),
    _metric("moves", "changes of the brokers per episode", "changes", 1, name="learning_moves"),
)
