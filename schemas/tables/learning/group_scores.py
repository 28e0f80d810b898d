"""Contract of `group_scores`: agents beside other strategies of consumer groups, with intervals."""

from schemas import shared_columns
from schemas.column import Column
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.learning import group_columns

_RULE = "The strategy is not an agent."


def _regret(name: str, meaning: str) -> Column:
    return Column(name, "double", meaning, "ratio")


def _share(name: str, meaning: str) -> Column:
    return Column(
        name, "double", meaning, "ratio", nullable=True, null_means=_RULE, minimum=0, maximum=1
    )


TABLE = Table(
    name="group_scores",
    meaning="Cost of agents and rules on test parts relative to the clairvoyant plan, with "
    "intervals over seeds and blocks of 120 s, traces as strata.",
    grain="weight, split and strategy; agents by variant",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        Column(
            "weight", "double", "Price of late_unit late events.", "s of all replicas", minimum=0
        ),
        group_columns.SPLIT,
        group_columns.POLICY,
        Column(
            "parameters",
            "string",
            "Variant of an agent; of a rule the parameters that cost least on validation parts; of "
            "constant every number of replicas.",
        ),
        group_columns.SEEDS,
        group_columns.TRACES,
        Column("replicas", "double", "Mean of paid replicas.", "replicas", minimum=0),
        Column(
            "late_percent",
            "double",
            "Events that are late, of all events of the test parts.",
            "%",
            minimum=0,
            maximum=100.0001,
        ),
        _regret(
            "regret",
            "Cost above that of the clairvoyant plan, relative to it; mean over traces and seeds.",
        ),
        _regret("regret_low", "Lower end of the 95 % interval of regret."),
        _regret("regret_high", "Upper end of the 95 % interval of regret."),
        _regret("best", "Least regret of a seed."),
        _regret("worst", "Greatest regret of a seed."),
        Column(
            "reference",
            "string",
            "Rule that costs least on the validation parts.",
        ),
        _share("share", "Seeds whose regret is at most that of the reference."),
        _share("share_low", "Lower end of the exact binomial 95 % interval of share."),
        _share("share_high", "Upper end of the exact binomial 95 % interval of share."),
        Column(
            "chosen",
            "boolean",
            "False for numbers of replicas of constant that cost more on the validation parts.",
        ),
    ),
    key=("run_id", "experiment", "weight", "split", "policy", "parameters"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "regrets_ordered",
            "Regret lies within its interval, and between those of the best and worst seed.",
            "regret_low <= regret + 1e-9 AND regret <= regret_high + 1e-9 "
            "AND best <= regret + 1e-9 AND regret <= worst + 1e-9",
        ),
        Check(
            "agents_have_shares",
            "Exactly agents have a share, within its interval.",
            "(policy IN ('dqn', 'double_dqn')) = (share IS NOT NULL) AND "
            "(share IS NULL OR (share_low <= share + 1e-9 AND share <= share_high + 1e-9))",
        ),
    ),
)
