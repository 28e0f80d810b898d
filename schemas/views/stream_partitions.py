"""View `stream_partitions`: partitions of each stream by topic and number, a row each."""

from schemas import shared_columns
from schemas.column_kinds import text
from schemas.view import View, select

_COLUMNS = (
    (shared_columns.RUN_ID, "run_id"),
    (shared_columns.EXPERIMENT, "experiment"),
    (shared_columns.STREAM_ID, "stream_id"),
    (text("name", "Name of the partition, as in the stream's partitions."), "name"),
    (
        text("topic", "Name of its topic; empty text where topics have no name."),
        "regexp_extract(name, '^(.*)/[^/]*$', 1)",
    ),
    (
        text("partition", "Number of the partition in its topic, or its name."),
        "regexp_extract(name, '([^/]*)$', 1)",
    ),
)

VIEW = View(
    name="stream_partitions",
    meaning="Partitions of each stream.",
    grain="run, stream and partition",
    columns=tuple(column for column, _ in _COLUMNS),
    key=("run_id", "stream_id", "name"),
    reads=("streams",),
    sql=f"""\
SELECT
  {select(_COLUMNS)}
FROM (SELECT run_id, experiment, stream_id, explode(partitions) AS name FROM streams)""",
)
