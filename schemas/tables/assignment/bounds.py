"""Contract of `bounds`: how well any algorithm could do."""

from schemas import shared
from schemas.column import Column
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.assignment import rules

CONSUMERS, RSCORE = KINDS = ("consumers", "rscore")
METHODS = ("l2", "patterns", "retention", "infeasible")

_COLUMNS = (
    shared.RUN_ID,
    shared.STREAM_ID,
    shared.EXPERIMENT,
    shared.DELTA,
    shared.ITERATION,
    Column(
        "kind",
        "string",
        "What is bounded. consumers: the fewest that the iteration needs, whatever was assigned "
        "before. rscore: the least Rscore of the iteration, given the algorithm's assignment of "
        "the iteration before and as many consumers as it uses now.",
        allowed=KINDS,
    ),
    Column(
        "algorithm",
        "string",
        "Algorithm whose assignment the bound of Rscore starts from.",
        nullable=True,
        null_means="The kind is consumers, which depends on no algorithm.",
    ),
    Column(
        "lower",
        "double",
        "No assignment that respects capacity has less.",
        "consumers, or consumer capacities",
        nullable=True,
        null_means="The method is infeasible.",
        minimum=0,
    ),
    Column(
        "upper",
        "double",
        "An assignment that respects capacity has this.",
        "consumers, or consumer capacities",
        nullable=True,
        null_means="No assignment is known, or the method is infeasible.",
        minimum=0,
    ),
    Column(
        "proved",
        "boolean",
        "Whether the optimum is known: lower is upper. Else it is somewhere between, since the "
        "limit of work was reached, sizes had to be rounded, or the solver failed.",
    ),
    Column(
        "method",
        "string",
        "Where the lower bound comes from. l2: the bound of Martello and Toth. patterns: the "
        "linear or integer program over patterns. retention: what consumers can keep, each by "
        "itself. infeasible: there is no assignment with so few consumers.",
        allowed=METHODS,
    ),
    Column(
        "l2",
        "int",
        "Bound of the consumers by Martello and Toth.",
        "consumers",
        nullable=True,
        null_means="The kind is rscore.",
        minimum=0,
    ),
    Column(
        "seconds",
        "double",
        "How long it took.",
        "s",
        minimum=0,
        measured=True,
    ),
)

# What an assignment has is compared with its bound up to the rounding of sums.
_BEATEN = (
    "SELECT b.stream_id, b.iteration, a.algorithm, b.kind, b.lower FROM {batch} b "
    "JOIN {assignments} a ON a.stream_id = b.stream_id AND a.iteration = b.iteration "
)

TABLE = Table(
    name="bounds",
    meaning="How well any algorithm could do at some iterations of a stream: intervals that hold "
    "the fewest consumers and the least Rscore. A run that compares no iterations has no rows.",
    grain="stream, iteration, kind and algorithm",
    columns=_COLUMNS,
    key=("run_id", "stream_id", "iteration", "kind", "algorithm"),
    partition_by=("run_id",),
    checks=(
        Check(
            "interval_ordered",
            "The lower end is at most the upper one, and the bound is proved exactly if they are "
            "one number.",
            "proved = coalesce(lower = upper, false) AND coalesce(lower <= upper, true)",
        ),
        Check(
            "ends_given",
            "There is a lower end unless the method is infeasible, and no end if it is.",
            "CASE method WHEN 'infeasible' THEN lower IS NULL AND upper IS NULL "
            "ELSE lower IS NOT NULL END",
        ),
        Check(
            "kind_described",
            "Bounds of consumers have whole numbers, at least l2, and no algorithm; those of "
            "Rscore have an algorithm and no l2.",
            f"CASE kind WHEN '{CONSUMERS}' THEN algorithm IS NULL AND l2 IS NOT NULL "
            "AND lower >= l2 AND lower = floor(lower) AND upper = floor(upper) "
            "ELSE algorithm IS NOT NULL AND l2 IS NULL END",
        ),
    ),
    rules=(
        Rule(
            "no_assignment_has_fewer_consumers",
            "No algorithm that respects capacity has fewer consumers than the lower end.",
            _BEATEN + f"WHERE b.kind = '{CONSUMERS}' AND NOT startswith(a.algorithm, 'kd_') "
            "AND a.n_consumers < b.lower",
        ),
        Rule(
            "no_assignment_has_less_rscore",
            "No algorithm has less Rscore than the lower end of its bound, nor is the upper end "
            "above what it has.",
            _BEATEN + f"WHERE b.kind = '{RSCORE}' AND b.algorithm = a.algorithm "
            "AND (a.rscore < b.lower - 1e-9 * (1 + b.lower) "
            "OR b.upper > a.rscore + 1e-9 * (1 + a.rscore))",
        ),
        rules.sampled_bounds(),
    ),
    written_by=("bounds",),
    reads=("streams", "measurements", "assignments"),
)
