"""Contract of `actions`: changes of simulated groups."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, long, text
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables.autoscaling import scaling_columns


def _replicas(name: str, when: str) -> Column:
    return integer(name, "replicas", f"Replicas {when} the action.")


TABLE = Table(
    name="actions",
    meaning="Actions of simulated groups, for the streams in trajectories: changes of the number "
    "of replicas, and reassignments.",
    grain="stream, strategy with its parameters, and action",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        shared_columns.STREAM_ID,
        scaling_columns.STRATEGY,
        scaling_columns.SETTING,
        integer("action", "index", "Number of the action, from 1, by time.", 1),
        double("time_s", "s", "When it began, since the start."),
        text("kind", "Whether it changed the number of replicas.", ("up", "down", "reassign")),
        _replicas("replicas_before", "before"),
        _replicas("replicas_after", "after"),
        long("moved", "partitions", "Partitions that moved."),
        double(
            "settled_after_s",
            "s",
            "Time until all partitions were consumed again.",
            null="Not before the end of the last step.",
        ),
    ),
    key=("run_id", "stream_id", *scaling_columns.CANDIDATE, "action"),
    partition_by=("run_id", "experiment"),
    checks=(
        Check(
            "kind_follows",
            "The kind follows from the numbers of replicas.",
            "kind = CASE WHEN replicas_after > replicas_before THEN 'up' "
            "WHEN replicas_after < replicas_before THEN 'down' ELSE 'reassign' END",
        ),
    ),
    rules=(
        Rule(
            "actions_of_simulations",
            "The actions of each stream and strategy in trajectories are numbered from 1, and as "
            "many of each kind as simulations counts; no other has any.",
            "SELECT stream_id, strategy, setting FROM ("
            "SELECT stream_id, strategy, setting, count(*) AS n, max(action) AS last, "
            "count_if(kind = 'up') AS up, count_if(kind = 'down') AS down "
            "FROM {batch} GROUP BY stream_id, strategy, setting) "
            "FULL JOIN (SELECT DISTINCT stream_id, strategy, setting, true AS recorded "
            "FROM {trajectories}) USING (stream_id, strategy, setting) "
            "LEFT JOIN (SELECT stream_id, strategy, setting, n_up, n_down, n_reassign "
            "FROM {simulations}) USING (stream_id, strategy, setting) "
            "WHERE recorded IS NULL OR coalesce(last, 0) <> coalesce(n, 0) "
            "OR NOT coalesce(coalesce(up, 0) = n_up AND coalesce(down, 0) = n_down "
            "AND coalesce(n, 0) = n_up + n_down + n_reassign, false)",
        ),
    ),
)
