"""Contract of `group_scores`: agents beside other strategies of consumer groups, with intervals."""

from schemas import shared_columns
from schemas.column_kinds import double, ends, flag, text
from schemas.rule import Check
from schemas.table import Table
from schemas.tables.learning import group_columns

_RULE = "The strategy is not an agent."


TABLE = Table(
    name="group_scores",
    meaning="Cost of agents and rules on test parts relative to the clairvoyant plan, with "
    "intervals over seeds and blocks of 120 s, traces as strata.",
    grain="weight, split and strategy; agents by variant",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        double("weight", "s of all replicas", "Price of late_unit late events."),
        group_columns.SPLIT,
        group_columns.POLICY,
        text(
            "parameters",
            "Variant of an agent; of a rule the parameters that cost least on validation parts; "
            "of constant every number of replicas.",
        ),
        group_columns.SEEDS,
        group_columns.TRACES,
        double("replicas", "replicas", "Mean of paid replicas."),
        double("late_percent", "%", "Events of the test parts that are late.", 0, 100.0001),
        double(
            "regret",
            "ratio",
            "Cost above that of the clairvoyant plan, relative to it; mean over traces and seeds.",
            None,
        ),
        *ends("regret", "ratio", "the 95 % interval of regret"),
        double("best", "ratio", "Least regret of a seed.", None),
        double("worst", "ratio", "Greatest regret of a seed.", None),
        text("reference", "Rule that costs least on the validation parts."),
        double(
            "share",
            "ratio",
            "Seeds whose regret is at most that of the reference.",
            0,
            1,
            null=_RULE,
        ),
        *ends("share", "ratio", "the exact 95 % interval of share", 0, 1, null=_RULE),
        flag("chosen", "False for sizes of constant that cost more on the validation parts."),
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
