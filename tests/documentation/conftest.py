"""What the examples of the documentation read: runs, rates, policies and configurations."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pipeline.base.paths import Paths
from tests import guides, warehouse
from tests.pipeline.inputs.policies import group_policy_rows
from tools.layout import here


@pytest.fixture(scope="package")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    """Runs of every family; tests only read them."""
    place = warehouse.write(Paths(tmp_path_factory.mktemp("examples") / "warehouse"))
    place = warehouse.write_scaling(warehouse.write_details(place))
    place = warehouse.write_pulsar(warehouse.write_applications(warehouse.write_brokers(place)))
    return warehouse.write_learning(warehouse.write_live(place))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the files that examples read."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(tmp_path / "warehouse"))
    rates = ["timestamp,partition,rate"] + [
        f"{30 * second},{partition},{(partition + 1) * 2e5 + 1e4 * (second % 7)}"
        for second in range(12)
        for partition in range(4)
    ]
    (tmp_path / "rates.csv").write_text("\n".join(rates) + "\n")
    events = [f"{second},{150 + second % 60}" for second in range(120)]
    for name in ("events.csv", "workload2.csv"):
        (tmp_path / name).write_text("timestamp,rate\n" + "\n".join(events) + "\n")
    (tmp_path / "policies").mkdir()
    group_policy_rows.write(tmp_path / "policies").rename(tmp_path / "policies" / "mine.json")
    (tmp_path / "docs").symlink_to(here().root / "docs")
    for example in (here().root / "docs" / "examples").iterdir():
        shutil.copy(example, tmp_path)
    (tmp_path / "night.yaml").write_text(guides.block("docs/configuration.md", "preset: paper"))
    (tmp_path / "client.properties").write_text("security.protocol=PLAINTEXT\n")
    (tmp_path / "packing.py").write_text(guides.python("own-algorithm.md"))
    (tmp_path / "measurements_5.json").write_text(json.dumps([{"t": {"0": 5.0, "1": 6.0}}] * 5))
    return tmp_path
