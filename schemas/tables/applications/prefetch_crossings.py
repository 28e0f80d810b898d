"""Contract of `prefetch_crossings`: seamless scaling and restarts with a backlog, compared."""

from schemas import shared_columns
from schemas.column import Column
from schemas.column_kinds import double, integer, long
from schemas.rule import Rule
from schemas.table import Table

_CELL = "experiment, receiver_queue, backlog, replicate"

_PLAN = (
    "(SELECT name AS experiment, receiver_queue, backlog, replicate FROM "
    "(SELECT inline(from_json(config, 'applications ARRAY<STRUCT<name: STRING, "
    "backlogs: ARRAY<INT>, receiver_queues: ARRAY<INT>, replicates: INT>>').applications) "
    "FROM {runs}) "
    "LATERAL VIEW explode(backlogs) b AS backlog "
    "LATERAL VIEW explode(receiver_queues) q AS receiver_queue "
    "LATERAL VIEW explode(sequence(1, replicates)) r AS replicate)"
)


def _response(name: str, how: str) -> Column:
    meaning = (
        f"Mean response {how}, of the events that wait at the change and those that arrive in the "
        "minute after it."
    )
    return double(name, "s", meaning, above=0)


TABLE = Table(
    name="prefetch_crossings",
    meaning="One instance with a backlog that becomes several: responses if it goes on with what "
    "it has fetched ahead, and if a restart hands that out again.",
    grain="receiver queue, backlog and replicate",
    columns=(
        shared_columns.RUN_ID,
        shared_columns.EXPERIMENT,
        integer("receiver_queue", "events", "Events that an instance fetches ahead.", 1),
        integer("backlog", "events", "Events that wait or are in service at the change.", 1),
        shared_columns.REPLICATE,
        long("seed", "identifier", "Seed of the service times, which all three ways share."),
        integer("grown_to", "instances", "Instances after the change.", 2),
        _response("seamless_s", "if the old instance goes on"),
        _response("restart_s", "after a restart whose instances all start at once"),
        _response("staggered_s", "after a restart whose instances start one after another"),
    ),
    key=("run_id", "experiment", "receiver_queue", "backlog", "replicate"),
    partition_by=("run_id", "experiment"),
    rules=(
        Rule(
            "crossings_planned",
            "There is exactly one row per configured receiver queue, backlog and replicate.",
            f"SELECT {_CELL}, sum(expected) AS n_expected, sum(found) AS n_found FROM ("
            f"SELECT {_CELL}, 1 AS expected, 0 AS found FROM {_PLAN} UNION ALL "
            f"SELECT {_CELL}, 0 AS expected, 1 AS found FROM {{batch}}) "
            f"GROUP BY {_CELL} HAVING sum(expected) <> 1 OR sum(found) <> 1",
        ),
    ),
)
