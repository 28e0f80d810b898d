"""Contract of `learning_scores`: what agents reach over their seeds."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.learning import learning_columns

_FEW = "There is one seed only."


def _ends(name: str, of: str, **bounds: float) -> tuple[Column, ...]:
    return tuple(
        Column(
            f"{name}_{end}",
            "double",
            f"{words} end of the 95 % interval of {of}.",
            "score",
            nullable=True,
            null_means=_FEW,
            **bounds,  # type: ignore[arg-type]
        )
        for end, words in (("low", "Lower"), ("high", "Upper"))
    )


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
        Column("seeds", "int", "Agents with different random numbers.", "seeds", minimum=1),
        Column("successes", "int", "Seeds with a score of at least 0.95.", "seeds", minimum=0),
        Column("share", "double", "successes / seeds.", "ratio", minimum=0, maximum=1),
        Column(
            "share_low",
            "double",
            "Lower end of the exact binomial 95 % interval of share (Clopper and Pearson).",
            "ratio",
            minimum=0,
            maximum=1,
        ),
        Column(
            "share_high",
            "double",
            "Upper end of the exact binomial 95 % interval of share (Clopper and Pearson).",
            "ratio",
            minimum=0,
            maximum=1,
        ),
        Column("score", "double", "Interquartile mean of the seeds' scores.", "score"),
        *_ends("score", "score, by the bootstrap over seeds"),
        Column("worst", "double", "Lowest score of a seed.", "score"),
        Column("best", "double", "Highest score of a seed.", "score"),
        Column("brokers", "double", "Brokers at the end, mean over seeds.", "brokers", minimum=0),
        Column(
            "over_slo_percent",
            "double",
            "Intervals over the objective, mean over seeds.",
            "%",
            minimum=0,
            maximum=100,
        ),
        Column(
            "moves",
            "double",
            "Changes of the number of brokers in an episode, mean over seeds.",
            "changes",
            minimum=0,
        ),
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
