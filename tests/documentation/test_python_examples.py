"""Examples in Python that have no test of their own work as they are pasted."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from pyarrow import parquet

from pipeline.measured import sample_file
from pipeline.paths import Paths
from pipeline.storage import sql
from tests import guides, warehouse

pytestmark = pytest.mark.unit

ELSEWHERE = {
    "docs/architecture.md": "tests/algorithms/assignment/test_recipe.py",
    "docs/autoscaling.md": "tests/algorithms/simulation/test_autoscaling_guide.py",
    "docs/live-consumer.md": "tests/pipeline/live/own_cluster/test_live_consumer_page.py",
    "docs/mlflow.md": "tests/pipeline/tracking/test_client.py",
    "docs/nightly.md": "tests/dags/test_assets.py",
    "docs/own-algorithm.md": "tests/algorithms/assignment/test_own_function.py",
    "docs/own-cluster.md": "tests/pipeline/live/own_cluster",
}
"""Pages whose examples other tests run."""


def is_python(example: guides.Example) -> bool:
    return example.language == "python" or example.code.startswith(("from ", "import "))


# What needs Spark is in tests/spark/test_views_on_spark.py.
EXAMPLES = [
    example
    for example in guides.examples()
    if is_python(example) and example.page not in ELSEWHERE and "spark" not in example.code
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a warehouse of some runs."""
    folder = tmp_path_factory.mktemp("examples")
    paths = Paths(folder / "warehouse")
    warehouse.write(paths)
    samples = folder / "warehouse" / "reports" / "live-1" / "samples" / "live" / "stream"
    samples.mkdir(parents=True)
    parquet.write_table(sample_file.SCHEMA.empty_table(), samples / "MWF.parquet")
    return folder


@pytest.mark.parametrize("example", EXAMPLES, ids=[f"{e.page}:{e.line}" for e in EXAMPLES])
def test_examples_run(
    example: guides.Example, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(folder / "warehouse"))
    names = {"rates": np.full((5, 3), 40.0)}
    exec(compile(example.code, example.page, "exec"), names)
    assert all(len(names[name]) for name in ("runs", "scores", "files") if name in names)


def test_pages_of_other_tests_have_examples() -> None:
    pages = {example.page for example in guides.examples() if is_python(example)}
    assert pages > ELSEWHERE.keys()


def test_the_query_of_any_duckdb_has_rows(folder: Path) -> None:
    """DuckDB's Delta extension is not installed here; the tables are the same."""
    (example,) = (e for e in guides.examples() if e.language == "sql" and "delta_scan" in e.code)
    query = example.code.partition("LOAD delta;")[2].strip().removesuffix(";")
    with sql.connect(Paths(folder / "warehouse")) as tables:
        answer = tables.sql(re.sub(r"delta_scan\('warehouse/(\w+)'\)", r"\1", query))
        assert len(answer.fetchall()) > 0
