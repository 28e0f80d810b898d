"""Examples in Python that have no test of their own work as they are pasted."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyarrow import parquet

from pipeline.base.paths import Paths
from pipeline.experiments.live.evidence import sample_file
from pipeline.warehouse.storage import sql
from tests import guides, warehouse
from tools.layout import here

pytestmark = pytest.mark.unit

ELSEWHERE = {
    ("docs/analyst.md", "from pipeline.base import paths\nfrom pipeline.warehouse.spark"): (
        "tests/spark/test_views_on_spark.py"
    ),
    ("docs/analyst.md", "import polars"): "tests/documentation/test_polars_example.py",
    ("docs/architecture.md", '"""One consumer per'): "tests/algorithms/assignment/test_recipe.py",
    ("docs/architecture.md", "register(\n    Algorithm("): (
        "tests/algorithms/assignment/test_recipe.py"
    ),
    ("docs/architecture.md", '"""One replica per'): (
        "tests/algorithms/autoscaling/test_strategy_recipe.py"
    ),
    ("docs/architecture.md", "Strategy("): ("tests/algorithms/autoscaling/test_strategy_recipe.py"),
    ("docs/architecture.md", '"""Lines of a'): (
        "tests/pipeline/inputs/traces/test_format_recipe.py"
    ),
    ("docs/autoscaling.md", "import numpy"): (
        "tests/algorithms/simulation/test_autoscaling_guide.py"
    ),
    ("docs/live-consumer.md", '"""Writes down'): (
        "tests/live/user_cluster/test_live_consumer_page.py"
    ),
    ("docs/live-consumer.md", '"""Runs the group'): (
        "tests/live/user_cluster/test_live_consumer_page.py"
    ),
    ("docs/mlflow.md", "import mlflow"): "tests/pipeline/reporting/tracking/test_client.py",
    ("docs/mlflow.md", "parent = "): "tests/spark/test_track_on_spark.py",
    ("docs/mlflow.md", "folder = "): "tests/pipeline/reporting/tracking/test_registered_models.py",
    ("docs/nightly.md", "from airflow"): "tests/dags/test_assets.py",
    ("docs/own-algorithm.md", "import numpy"): "tests/algorithms/assignment/test_own_function.py",
    ("docs/own-cluster.md", "from kafka"): ("tests/live/user_cluster/test_lag_based_assignor.py"),
}
"""Single blocks, by page and beginning, and the tests that read them from the page."""

OF_PAGES: dict[str, dict[str, Any]] = {
    "docs/architecture.md": {"rates": np.array([4.0, 5.0, 6.0]), "owners": np.full(3, -1)},
    "docs/autoscaling-bounds.md": {"rates": np.full((5, 3), 40.0)},
}
"""What an example needs that its page leaves to the reader."""


def is_python(example: guides.Example) -> bool:
    return example.language == "python" or example.code.startswith(("from ", "import "))


def is_elsewhere(example: guides.Example) -> bool:
    return any(example.page == page and example.code.startswith(start) for page, start in ELSEWHERE)


EXAMPLES = [e for e in guides.examples() if is_python(e) and not is_elsewhere(e)]


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
    names = dict(OF_PAGES.get(example.page, {}))
    exec(compile(example.code, example.page, "exec"), names)
    assert all(len(names[name]) for name in ("runs", "scores", "files") if name in names)


@pytest.mark.parametrize(("page", "start"), ELSEWHERE)
def test_examples_of_other_tests_are_read_from_their_page(page: str, start: str) -> None:
    assert guides.block(page, start)
    text = (here().root / ELSEWHERE[page, start]).read_text()
    assert Path(page).name in text
    assert "guides." in text or "read_text" in text


def test_the_query_of_any_duckdb_has_rows(folder: Path) -> None:
    """DuckDB's Delta extension is not installed here; the tables are the same."""
    (example,) = (e for e in guides.examples() if e.language == "sql" and "delta_scan" in e.code)
    query = example.code.partition("LOAD delta;")[2].strip().removesuffix(";")
    with sql.connect(Paths(folder / "warehouse")) as tables:
        answer = tables.sql(re.sub(r"delta_scan\('warehouse/(\w+)'\)", r"\1", query))
        assert len(answer.fetchall()) > 0
