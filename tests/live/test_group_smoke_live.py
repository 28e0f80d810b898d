"""Preset `group-smoke` from the command to the report, on a broker."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import schemas
from pipeline.base.paths import Paths
from pipeline.experiments.live.sections.asking_section import TITLE
from pipeline.settings.presets import PRESETS
from pipeline.warehouse.storage import reader
from tools.layout import here

pytestmark = pytest.mark.live

RUN = "smoke"


@pytest.fixture(scope="module")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("group") / "warehouse"
    words = ("run", "--preset", "group-smoke", "--run-id", RUN, "--warehouse", str(place))
    command = [sys.executable, "-m", "pipeline.cli.app", *words]
    run = subprocess.run(command, cwd=here().root, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return place


def rows(warehouse: Path, table: str) -> pd.DataFrame:
    columns = [column.name for column in schemas.TABLES[table].columns]
    return reader.of(Paths(warehouse)).rows(table, columns, run_id=[RUN]).to_pandas()


def test_every_strategy_is_measured_beside_its_simulation(warehouse: Path) -> None:
    (settings,) = PRESETS["group-smoke"].experiments.values()
    runs, agreement = rows(warehouse, "live_runs"), rows(warehouse, "live_agreement")
    assert set(runs["strategy"]) == set(settings["strategies"])
    assert (runs["read"] == runs["sent"]).all()
    assert runs["sla_percent"].between(1, 100).all()
    for name in ("sla_percent", "replica_minutes", "peak_s"):
        compared = agreement[agreement["quantity"] == name]
        assert len(compared) == len(runs)
        assert compared["predicted_a"].notna().all()


def test_the_report_has_its_section_and_no_verdict(warehouse: Path) -> None:
    report = next((warehouse / "reports" / RUN).glob("*.html")).read_text(encoding="utf-8")
    assert TITLE in report
    assert rows(warehouse, "published_figures").empty
