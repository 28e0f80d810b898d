"""Views: contracts that go together, and queries that give what they say."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

from algorithms.inference import intervals
from pipeline.base.paths import Paths
from pipeline.warehouse.storage import sql
from schemas import TABLES, VIEWS, Column, ContractError, View
from schemas.metrics import metric
from schemas.view import index
from schemas.views import results
from tests import warehouse
from tests.schemas import tiny_live, tiny_scaling

pytestmark = [pytest.mark.unit, pytest.mark.slow]

each_view = pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
ID = Column("id", "string", "Which one.")


def view(**changes: object) -> View:
    parts: dict[str, object] = {
        "name": "mine",
        "meaning": "What is mine.",
        "grain": "thing",
        "columns": (ID,),
        "key": ("id",),
        "reads": ("runs",),
        "sql": "SELECT run_id AS id FROM runs",
    }
    return View(**(parts | changes))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    """The small warehouse, opened."""
    paths = warehouse.write(Paths(tmp_path_factory.mktemp("views")))
    warehouse.write_scaling(paths)
    warehouse.write_published(paths, "scaled")
    warehouse.write_learning(paths)
    warehouse.write_applications(paths)
    warehouse.write_pulsar(paths)
    warehouse.write_brokers(paths)
    with sql.connect(warehouse.write_live(paths)) as connection:
        yield connection


@each_view
def test_a_query_gives_the_columns_of_its_contract(
    tables: duckdb.DuckDBPyConnection, view: View
) -> None:
    answer = tables.sql(f"SELECT * FROM {view.name}").to_arrow_table()
    assert answer.num_rows
    assert {f.name: f.type for f in answer.schema} == {
        c.name: warehouse.TYPES[c.type] for c in view.columns
    }
    assert answer.column_names == [c.name for c in view.columns]
    for column in view.columns:
        if not column.nullable:
            assert answer[column.name].null_count == 0, column.name
        if column.allowed:
            assert set(answer[column.name].to_pylist()) <= set(column.allowed)


@each_view
def test_a_key_occurs_once(tables: duckdb.DuckDBPyConnection, view: View) -> None:
    keys = tables.sql(f"SELECT {', '.join(view.key)} FROM {view.name}").to_arrow_table()
    assert keys.num_rows == keys.group_by(list(view.key)).aggregate([]).num_rows


def rows(tables: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, object]]:
    table: pa.Table = tables.sql(query).to_arrow_table()
    answer: list[dict[str, object]] = table.to_pylist()
    return answer


def test_no_row_is_lost_or_doubled_by_joins(tables: duckdb.DuckDBPyConnection) -> None:
    for joined, alone in (
        ("per_stream", "scores"),
        ("results", "pareto"),
        ("strategy_results", "trade_offs"),
    ):
        counted = [rows(tables, f"SELECT count(*) AS n FROM {name}") for name in (joined, alone)]
        assert counted[0] == counted[1]


def test_results_are_means_and_medians_over_streams(tables: duckdb.DuckDBPyConnection) -> None:
    (row,) = rows(
        tables,
        "SELECT * FROM results WHERE run_id = 'first' AND experiment = 'tradeoff' AND delta = 10 "
        "AND algorithm = 'BFD'",
    )
    assert row["cbs"] == pytest.approx(0.01 + 0.002)
    assert row["mean_migrations"] == pytest.approx(9.0)
    assert row["p90"] == pytest.approx(4.62)
    assert row["max"] == float("inf")
    assert (row["n_samples"], row["n_positive"], row["delayed_share"]) == (3000, 300, 0.1)
    assert (row["delayed_streams"], row["replicates"]) == (3, 3)
    (idle,) = rows(tables, "SELECT * FROM results WHERE run_id = 'first' AND algorithm = 'kd_20'")
    assert (idle["p90"], idle["delayed_streams"], idle["delayed_share"]) == (0.0, 0, 0.0)


@pytest.mark.parametrize(
    "waits", [[None], [3.0, None], [3.0, None, None, 1.0], [math.inf, 2.0, None], [math.inf] * 2]
)
def test_a_median_is_the_same_in_sql_and_in_python(waits: list[float | None]) -> None:
    """Of equal runs no tool may say that they differ."""
    expression = results._middle(metric("p90"))
    values = ", ".join("(NULL::DOUBLE)" if w is None else f"('{w}'::DOUBLE)" for w in waits)
    (row,) = duckdb.sql(f"SELECT {expression} FROM (VALUES {values}) t(p90)").fetchall()
    assert row == (intervals.median([w or 0.0 for w in waits]),)


def test_the_latest_results_are_those_of_each_preset(tables: duckdb.DuckDBPyConnection) -> None:
    answer = rows(tables, "SELECT DISTINCT preset, run_id FROM latest_results ORDER BY preset")
    assert answer == [
        {"preset": "paper", "run_id": "second"},
        {"preset": "smoke", "run_id": "tight"},
    ]


def test_history_compares_with_the_run_before_of_the_same_preset(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    answer = rows(
        tables,
        "SELECT run_id, previous_run_id, value - previous_value AS more, same_configuration AS c, "
        "same_versions AS v, unit, low IS NOT NULL AS bounded FROM history WHERE metric = 'cbs' "
        "AND algorithm = 'MWF' AND experiment = 'latency' ORDER BY created_at",
    )
    assert [(r["run_id"], r["previous_run_id"], r["c"], r["v"]) for r in answer] == [
        ("first", None, None, None),
        ("second", "first", True, False),
        ("roomy", None, None, None),
        ("tight", "roomy", True, True),
    ]
    assert answer[1]["more"] == pytest.approx(0.05)
    assert {(r["unit"], r["bounded"]) for r in answer} == {("ratio", True)}


def test_results_of_strategies_are_of_published_runs_with_medians(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    answer = _of_linear(tables, "strategy_results")
    assert {(row["run_id"], row["setting"]) for row in answer} == {
        ("scaled", ""),
        ("scaled", "f_up=0.5"),
    }
    costs = tiny_scaling.COSTS
    assert {(r["setting"], r["sla_percent"], r["replica_minutes"]) for r in answer} == {
        ("", *costs["linear", ""]),
        ("f_up=0.5", *costs["linear", "f_up=0.5"]),
    }
    assert {(r["latency_p50"], r["latency_p99"], r["latency_max"]) for r in answer} == {
        (0.25, 1.0, 2.0)
    }
    assert _of_linear(tables, "latest_strategy_results") == answer


def _of_linear(tables: duckdb.DuckDBPyConnection, view: str) -> list[dict[str, object]]:
    return rows(tables, f"SELECT * FROM {view} WHERE strategy = 'linear' ORDER BY setting")


def test_results_on_a_broker_are_means_and_medians_over_streams(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    answer = rows(tables, "SELECT * FROM live_results ORDER BY strategy")
    assert [(row["run_id"], row["strategy"]) for row in answer] == [
        ("brokered", "MWF"),
        ("brokered", "kd_1"),
    ]
    (good, slow) = answer
    assert (good["live_consumers"], good["live_moves"], good["live_p90"]) == (2.0, 1.0, 0.05)
    assert (slow["live_p99"], slow["live_max"], slow["streams"]) == (7.5, 8.0, 2)
    listed = [row for row in tiny_live.rows("brokered")["live_agreement"]]
    for row in answer:
        own = [one for one in listed if one["strategy"] == row["strategy"]]
        differing = sum(one["verdict"] == "differs" for one in own)
        assert row["quantities_differing"] == differing
    assert slow["quantities_differing"] > 0


def test_results_on_pulsar_are_sums_and_means_over_replicates(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    answer = rows(tables, "SELECT * FROM pulsar_results ORDER BY executor")
    assert [(row["run_id"], row["executor"], row["replicates"]) for row in answer] == [
        ("pulsed", "extended", 1),
        ("pulsed", "stock", 1),
    ]
    extended, stock = answer
    assert extended["pulsar_response"] == pytest.approx(0.75)
    assert extended["pulsar_instances"] == 1.5
    assert (stock["pulsar_response"], stock["repeated"], stock["lost"]) == (1.275, 1, 0)


def test_results_of_brokers_are_sums_and_means_over_scalings(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    down, up = rows(tables, "SELECT * FROM broker_results ORDER BY kind")
    assert (up["run_id"], up["kind"], up["scalings"], up["finished"]) == ("elastic", "up", 1, 1)
    assert (down["kind"], down["scalings"], down["finished"]) == ("down", 2, 1)
    # A cancelled scaling has no time of its move.
    assert (down["broker_scaling_time"], down["broker_move_time"]) == (22.5, 10.0)
    assert (down["moves"], down["bound"], down["moved_bytes"]) == (24, 24, 2000)
    assert (down["planner"], down["replication"]) == ("least", 3)
    assert (down["replica_spread"], down["leader_spread"]) == (1.0, 1.0)


def test_results_of_agents_are_their_scores(tables: duckdb.DuckDBPyConnection) -> None:
    (row,) = rows(tables, "SELECT * FROM learning_results")
    assert (row["run_id"], row["agent"], row["successes"]) == ("learned", "dqn", 1)
    assert (row["learning_share"], row["learning_score"], row["score_low"]) == (
        0.5,
        0.75,
        0.5,
    )


def test_results_of_policies_are_means_over_simulations(tables: duckdb.DuckDBPyConnection) -> None:
    (row,) = rows(tables, "SELECT * FROM application_results")
    assert (row["run_id"], row["policy"], row["path"]) == ("applied", "ds2", "read > write")
    assert (row["replicates"], row["response_mean"], row["mean_instances"]) == (2, 2.0, 2.5)


def test_times_of_stages_are_added_up(tables: duckdb.DuckDBPyConnection) -> None:
    query = "SELECT stage, times, seconds, longest_s FROM stage_times WHERE run_id = 'first'"
    assert tables.sql(f"{query} ORDER BY stage").fetchall() == [
        ("report", 1, 0.25, 0.25),
        ("score", 2, 3.5, 2.0),
    ]


def test_settings_are_those_of_the_configuration(tables: duckdb.DuckDBPyConnection) -> None:
    """Of every family; numbers are numbers."""
    found = rows(tables, "SELECT * FROM run_settings")
    of_night = {r["setting"]: r["number"] or r["value"] for r in found if r["run_id"] == "first"}
    assert of_night == {"name": "latency", "iteration_seconds": 30.0, "rebalance_seconds": 5.0}
    (run,) = tables.sql("SELECT config FROM runs WHERE run_id = 'learned'").fetchall()
    (experiment,) = json.loads(run[0])["learning"]
    learned = {row["setting"]: row for row in found if row["run_id"] == "learned"}
    assert learned.keys() == experiment.keys()
    assert learned["seeds"]["number"] == experiment["seeds"]
    assert json.loads(str(learned["agents"]["value"])) == experiment["agents"]
    assert {row["run_id"] for row in found} > {"scaled", "brokered", "applied"}


def test_loads_by_partition_and_by_hour(tables: duckdb.DuckDBPyConnection) -> None:
    """Streams of two iterations of 1 s, the first of which begins a second before 23:00."""
    rates = [row["rates"] for row in tiny_scaling.rows("scaled")["measurements"]][:2]
    stream = tiny_scaling.rows("scaled")["streams"][0]
    key = f"run_id = 'scaled' AND stream_id = '{stream['stream_id']}'"
    query = f"SELECT partition, iterations, mean_rate, peak_rate FROM partition_loads WHERE {key}"
    assert tables.sql(f"{query} ORDER BY partition").fetchall() == [
        (name, 2, sum(own) / 2, max(own))
        for name, own in zip(stream["partitions"], zip(*rates, strict=True), strict=True)
    ]
    query = f"SELECT hour, iterations, mean_rate, peak_rate FROM hourly_loads WHERE {key}"
    totals = [sum(own) for own in rates]
    assert tables.sql(f"{query} ORDER BY hour").fetchall() == [
        (22, 1, totals[0], totals[0]),
        (23, 1, totals[1], totals[1]),
    ]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "My view"}, "lower case"),
        ({"meaning": ""}, "meaning must be"),
        ({"columns": (ID, ID)}, "columns given twice"),
        ({"key": ("other",)}, "key names no columns"),
        ({"reads": ("scores",)}, "does not read"),
    ],
)
def test_a_view_that_contradicts_itself_is_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ContractError, match=words):
        view(**changes)


def test_views_are_made_in_an_order_in_which_they_can_be() -> None:
    assert list(index(TABLES, view())) == ["mine"]
    with pytest.raises(ContractError, match="taken"):
        index(TABLES, view(name="runs"))
    later = view(name="later", reads=("mine",), sql="SELECT id FROM mine")
    assert list(index(TABLES, later, view())) == ["mine", "later"]
    with pytest.raises(ContractError, match="reads mine before it is made"):
        index(TABLES, later)
    with pytest.raises(ContractError, match="view 'later': no column 'x'; there are id"):
        later.column("x")


def test_verdicts_of_all_papers_have_the_same_columns(
    tables: duckdb.DuckDBPyConnection,
) -> None:
    """A claim on agents and figures of autoscaling and assignment are rows of one table."""
    query = "SELECT figure_key, subject, verdict FROM verdicts ORDER BY figure_key"
    figures = [
        ("Table 2: W1: linear: replica_minutes", "W1: Linear", "exact"),
        ("cbs_mwf_d5", "generated streams: MWF", "reproduced"),
        ("learned: R1: dqn, count", "dqn, count", "open"),
    ]
    assert tables.sql(query).fetchall() == figures
