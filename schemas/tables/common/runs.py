"""Contract of `runs`: which runs there are, and whether their rows may be read."""

from schemas.column import Column
from schemas.rule import Check, Rule
from schemas.shared import RUN_ID
from schemas.table import Table

RUNNING, PUBLISHED, FAILED = STATUSES = ("running", "published", "failed")
IS_PUBLISHED = f"status = '{PUBLISHED}'"
"""The rows of runs that readers may use, in SQL."""


def _json(column: str) -> Check:
    return Check(
        f"{column}_is_json",
        f"The column {column} holds well-formed JSON.",
        f"get_json_object(`{column}`, '$') IS NOT NULL",
    )


TABLE = Table(
    name="runs",
    meaning="The runs of the pipeline. The rows of a run in the other tables may be used if its "
    "status here is published; those of other runs are unfinished, failed or being replaced.",
    grain="run",
    columns=(
        RUN_ID,
        Column(
            "status",
            "string",
            "State of the run: running (not finished, or its process died), published (complete "
            "and validated), failed (a stage or a validation failed).",
            allowed=STATUSES,
        ),
        Column(
            "preset",
            "string",
            "Name of the preset that the configuration started from.",
        ),
        Column("created_at", "timestamp", "When the run began, UTC."),
        Column(
            "finished_at",
            "timestamp",
            "When the run was published or failed, UTC.",
            nullable=True,
            null_means="Status is running.",
        ),
        Column(
            "config",
            "string",
            "The whole configuration as JSON: preset, seed, experiments, traces. A run of the "
            "same configuration and code has the same results.",
        ),
        Column(
            "seed",
            "long",
            "Root seed, from which the seed of each stream is derived.",
            "identifier",
            minimum=0,
        ),
        Column(
            "versions",
            "string",
            "Versions of the code and of the packages that can change a result, as a JSON object.",
        ),
        Column(
            "stage_timings",
            "string",
            "How long the finished stages took, as a JSON list of objects: stage (name), units "
            "(the experiments and deltas it worked on, null for the whole run), seconds.",
        ),
        Column(
            "error",
            "string",
            "Why the run failed.",
            nullable=True,
            null_means="The run has not failed.",
        ),
    ),
    key=("run_id",),
    partition_by=("run_id",),
    checks=(
        Check(
            "finished_unless_running",
            "A run has an end exactly if it is not running, and does not end before it begins.",
            "(status = 'running') = (finished_at IS NULL) "
            "AND (finished_at IS NULL OR finished_at >= created_at)",
        ),
        Check(
            "error_means_failed",
            "Only a failed run has an error.",
            "error IS NULL OR status = 'failed'",
        ),
        _json("config"),
        _json("versions"),
        _json("stage_timings"),
    ),
    rules=(
        Rule(
            "one_row",
            "The run has exactly one row.",
            "SELECT count(*) AS n_rows FROM {batch} HAVING count(*) <> 1",
        ),
    ),
    written_by=("begin and end of a run",),
)
