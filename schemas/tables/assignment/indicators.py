"""Contract of `indicators`: quality of whole fronts."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, ends, integer, text
from schemas.rule import Check, Rule
from schemas.table import Table

PUBLISHED, REFERENCE, ALL = FRONTS = ("published", "reference", "all")
LEVELS = (25, 50, 75)

_AREA = "share of axes' units"
_NO_AREA = "Not available; see note."
_INTERVAL = "its 95 % bootstrap interval"
_FEW = "Fewer than 2 replicates, a published front, or no value."
_NO_SURFACE = "Published front, which covers a single stream."


def _surface(level: int) -> tuple[Column, Column]:
    where = f"of the {level} % attainment surface, starting at the fewest consumers"
    return (
        Column(
            f"cbs_{level}",
            "array<double>",
            f"Cbs_common at the corners {where}.",
            "ratio",
            nullable=True,
            null_means=_NO_SURFACE,
            exclusive_minimum=-1,
        ),
        Column(
            f"mean_rscore_{level}",
            "array<double>",
            f"Mean Rscore at the corners {where}.",
            "consumer capacities per iteration",
            nullable=True,
            null_means=_NO_SURFACE,
            minimum=0,
        ),
    )


def _interval(value: str) -> str:
    """State that a value lies in its interval, where it has one."""
    return (
        f"CASE WHEN {value}_low IS NULL THEN {value}_high IS NULL "
        f"ELSE {value}_low <= {value} AND {value} <= {value}_high END"
    )


def _alike(level: int) -> str:
    """State that both arrays of a surface are as long, or missing."""
    cbs, moved = f"cbs_{level}", f"mean_rscore_{level}"
    return (
        f"CASE WHEN {cbs} IS NULL THEN {moved} IS NULL "
        f"ELSE {moved} IS NOT NULL AND size({cbs}) = size({moved}) END"
    )


TABLE = Table(
    name="indicators",
    meaning="Quality of three fronts of CBS against mean Rscore: published (by the paper's "
    "authors), reference (the paper's twelve algorithms in this run) and all (every algorithm "
    "of the run that keeps consumers within capacity). Axes: cbs_common divided by 0.25, mean "
    "Rscore divided by that of BFD.",
    grain="experiment, delta and front",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.DELTA,
        text("front", "Set of algorithms in the front.", FRONTS),
        integer(
            "replicates",
            "replicates",
            "Streams included; start conditions of the same replicate count as one.",
            1,
        ),
        integer("algorithms", "algorithms", "Algorithms in the set.", 1),
        double(
            "hypervolume",
            _AREA,
            "Area that the front dominates up to (1.1, 1.1), mean over the fronts of single "
            "replicates. Higher is better.",
            null=_NO_AREA,
        ),
        *ends("hypervolume", _AREA, _INTERVAL, null=_FEW),
        double(
            "hypervolume_of_means",
            _AREA,
            "Hypervolume of the front of means over replicates.",
            null=_NO_AREA,
        ),
        double(
            "epsilon",
            _AREA,
            "Additive epsilon indicator: the smallest amount to subtract from both coordinates "
            "of this front so that it covers front all, mean over replicates; for the "
            "published front, relative to the means of all. Lower is better.",
            None,
            null=_NO_AREA,
        ),
        *ends("epsilon", _AREA, _INTERVAL, null=_FEW),
        *(column for level in LEVELS for column in _surface(level)),
        shared_columns.NOTE,
    ),
    key=("run_id", "experiment", "delta", "front"),
    partition_by=("run_id",),
    checks=(
        Check("hypervolume_interval", "The value lies in its interval.", _interval("hypervolume")),
        Check("epsilon_interval", "The value lies in its interval.", _interval("epsilon")),
        Check(
            "valued_or_noted",
            "Either all values or a note is present.",
            "CASE WHEN note IS NULL THEN hypervolume IS NOT NULL "
            "AND hypervolume_of_means IS NOT NULL AND epsilon IS NOT NULL "
            "ELSE hypervolume IS NULL AND hypervolume_of_means IS NULL AND epsilon IS NULL END",
        ),
        Check(
            "surfaces_have_corners",
            "Both arrays of a surface have the same length.",
            " AND ".join(map(_alike, LEVELS)),
        ),
    ),
    rules=(
        Rule(
            "more_algorithms_no_less",
            "The hypervolume of front all is at least that of front reference, and front all "
            "covers itself.",
            "SELECT experiment, delta FROM {batch} GROUP BY experiment, delta "
            "HAVING count_if(front = 'all') <> 1 "
            "OR max(hypervolume) FILTER (WHERE front = 'reference') "
            "> max(hypervolume) FILTER (WHERE front = 'all') + 1e-9 "
            "OR max(abs(epsilon)) FILTER (WHERE front = 'all') > 1e-9",
        ),
    ),
)
