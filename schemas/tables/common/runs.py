"""Contract of `runs`: all runs, and whether their rows may be read."""

from schemas.column_kinds import long, text, timestamp
from schemas.rule import Check, Rule
from schemas.shared_columns import RUN_ID
from schemas.table import Table

RUNNING, PUBLISHED, FAILED = STATUSES = ("running", "published", "failed")
IS_PUBLISHED = f"status = '{PUBLISHED}'"
"""The rows of runs that readers may use, in SQL."""


def _json(column: str) -> Check:
    return Check(
        f"{column}_is_json",
        f"{column} is well-formed JSON.",
        f"get_json_object(`{column}`, '$') IS NOT NULL",
    )


TABLE = Table(
    name="runs",
    meaning="Runs of the pipeline. Use rows of other tables only if the status of their run is "
    "published; other runs are unfinished, failed or being replaced.",
    grain="run",
    columns=(
        RUN_ID,
        text(
            "status",
            "State of the run: running (not finished, or its process died), published (complete "
            "and validated), failed (a stage or a validation failed).",
            STATUSES,
        ),
        text("preset", "Preset that the configuration is based on."),
        timestamp("created_at", "When the run began, UTC."),
        timestamp(
            "finished_at", "When the run was published or failed, UTC.", null="Status is running."
        ),
        text(
            "config",
            "Full configuration as JSON: preset, seed, experiments, traces. The same "
            "configuration and code give the same results.",
        ),
        long("seed", "identifier", "Root seed, from which all stream seeds are derived."),
        text("versions", "Versions of the code and of packages that affect results, as JSON."),
        text(
            "stage_timings",
            "Durations of the finished stages, as a JSON list of objects: stage (name), units "
            "(the experiments and deltas processed, null for the whole run), seconds.",
        ),
        text("error", "Why the run failed.", null="The run has not failed."),
    ),
    key=("run_id",),
    partition_by=("run_id",),
    checks=(
        Check(
            "finished_unless_running",
            "finished_at is set if and only if the run is not running, and is not before "
            "created_at.",
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
)
