"""Contract of `bounds`: proved bounds on consumers and Rscore."""

from schemas import shared_columns
from schemas.column_kinds import double, flag, integer, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.assignment import assignment_rules

CONSUMERS, RSCORE = KINDS = ("consumers", "rscore")
METHODS = ("l2", "patterns", "retention", "infeasible")

_COLUMNS = (
    shared_columns.RUN_ID,
    shared_columns.STREAM_ID,
    shared_columns.EXPERIMENT,
    shared_columns.DELTA,
    shared_columns.ITERATION,
    text(
        "kind",
        "Bounded quantity. consumers: the minimum for the iteration, regardless of the previous "
        "assignment. rscore: the minimum Rscore of the iteration, given the algorithm's previous "
        "assignment and the number of consumers it uses now.",
        KINDS,
    ),
    text(
        "algorithm",
        "Algorithm whose previous assignment the Rscore bound starts from.",
        null="The kind is consumers, which does not depend on an algorithm.",
    ),
    double(
        "lower",
        "consumers, or consumer capacities",
        "Lower bound: no assignment within capacity has less.",
        null="The method is infeasible.",
    ),
    double(
        "upper",
        "consumers, or consumer capacities",
        "Upper bound: reached by a known assignment within capacity.",
        null="No assignment is known, or the method is infeasible.",
    ),
    flag(
        "proved",
        "Whether the optimum is known, that is, lower equals upper. Otherwise it lies between "
        "them, because the work limit was reached, sizes were rounded or the solver failed.",
    ),
    text(
        "method",
        "Source of the lower bound. l2: bound of Martello and Toth. patterns: linear or integer "
        "program over patterns. retention: what each consumer can keep on its own. infeasible: no "
        "assignment uses so few consumers.",
        METHODS,
    ),
    integer("l2", "consumers", "Martello and Toth's lower bound.", null="The kind is rscore."),
    double("seconds", "s", "Time spent on the bound.", measured=True),
)

# What an assignment has is compared with its bound up to the rounding of sums.
_BEATEN = (
    "SELECT b.stream_id, b.iteration, a.algorithm, b.kind, b.lower FROM {batch} b "
    "JOIN {assignments} a ON a.stream_id = b.stream_id AND a.iteration = b.iteration "
)

TABLE = Table(
    name="bounds",
    meaning="Intervals that contain the minimum number of consumers and the minimum Rscore at "
    "sampled iterations of a stream. Empty if the run samples no iterations.",
    grain="stream, iteration, kind and algorithm",
    columns=_COLUMNS,
    key=("run_id", "stream_id", "iteration", "kind", "algorithm"),
    partition_by=("run_id",),
    checks=(
        Check(
            "interval_ordered",
            "The lower end is at most the upper end, and the bound is proved if and only if "
            "they are equal.",
            "proved = coalesce(lower = upper, false) AND coalesce(lower <= upper, true)",
        ),
        Check(
            "ends_given",
            "The lower end is set unless the method is infeasible, in which case neither end is.",
            "CASE method WHEN 'infeasible' THEN lower IS NULL AND upper IS NULL "
            "ELSE lower IS NOT NULL END",
        ),
        Check(
            "kind_described",
            "Consumer bounds are integers, at least l2, and have no algorithm. Rscore bounds "
            "have an algorithm and no l2.",
            f"CASE kind WHEN '{CONSUMERS}' THEN algorithm IS NULL AND l2 IS NOT NULL "
            "AND lower >= l2 AND lower = floor(lower) AND upper = floor(upper) "
            "ELSE algorithm IS NOT NULL AND l2 IS NULL END",
        ),
    ),
    rules=(
        Rule(
            "no_assignment_has_fewer_consumers",
            "No algorithm that respects capacity uses fewer consumers than the lower end.",
            _BEATEN + f"WHERE b.kind = '{CONSUMERS}' "
            f"AND NOT {assignment_rules.ignores_load('a.algorithm')} AND a.n_consumers < b.lower",
        ),
        Rule(
            "no_assignment_has_less_rscore",
            "The Rscore of an algorithm is not below either end of its bound.",
            _BEATEN + f"WHERE b.kind = '{RSCORE}' AND b.algorithm = a.algorithm "
            "AND (a.rscore < b.lower - 1e-9 * (1 + b.lower) "
            "OR b.upper > a.rscore + 1e-9 * (1 + a.rscore))",
        ),
        assignment_rules.sampled_bounds(),
    ),
)
