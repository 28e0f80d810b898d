"""A run over a recorded workload recommends what the command recommends, on the same page."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pipeline.base.paths import Paths
from pipeline.experiments.autoscaling.answers import answer_files
from pipeline.experiments.autoscaling.family import FAMILY
from pipeline.experiments.autoscaling.stages import recommend_groups
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from schemas import TABLES
from tests.pipeline.cli.command import Home, call, trace

pytestmark = [pytest.mark.unit, pytest.mark.slow]

STRATEGIES = "constant,keda_hpa,keda_hpa:threshold=100,headroom:h=1.5"
SETS = ["mu=200", "wsla_s=5", f"strategies={STRATEGIES}"]
COLUMNS = {column.name for column in TABLES["recommendations"].columns}


def waves(home: Home, name: str = "waves.csv") -> Path:
    """Ten minutes of four partitions whose load rises and falls twice, with a clock."""
    total = 300.0 - 200.0 * np.cos(np.arange(60) * 4.0 * np.pi / 60)
    rates = (total[:, None] * [0.1, 0.2, 0.3, 0.4]).round(3).tolist()
    rows = (
        f"2026-03-02T08:{10 * k // 60:02}:{10 * k % 60:02}Z,{','.join(map(str, row))}"
        for k, row in enumerate(rates)
    )
    return trace(home, "timestamp,a,b,c,d\n" + "\n".join(rows), name)


def recommended(config: RunConfig, home: Home) -> tuple[list[dict[str, Any]], Path]:
    """Rows of the stage, and where its pages are."""
    ctx = SimpleNamespace(run_id="r", paths=Paths(home.warehouse))
    traces = {source.stream_id: source.trace for source in config.traces}
    work = SimpleNamespace(config=config)
    rows = recommend_groups.run(work, traces, ctx)  # type: ignore[arg-type]
    return [dict(row) for row in rows], ctx.paths.report("r").parent


def test_the_page_is_that_of_the_command(home: Home) -> None:
    file = waves(home)
    config = resolve("autoscaling", None, SETS, [file])
    (row,), folder = recommended(config, home)
    assert set(row) == COLUMNS - {"run_id"}
    assert (row["experiment"], row["is_kept"], row["chance"]) == ("trace-waves", True, None)
    assert row["decision"].startswith("Deploy ")
    assert row["replicas"] <= row["most_replicas"]
    options = ("--mu", "200", "--slo", "99%@5s", "--strategy", STRATEGIES)
    done = call("recommend", file, *options, "--output", home.root / "out")
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(row["decision"])
    page = (folder / row["page"]).read_text()
    assert page == (home.root / "out" / answer_files.PAGE).read_text()
    assert "08:05" in page


def test_each_file_has_a_page_and_what_kafka_cannot_have_is_said(home: Home) -> None:
    files = [waves(home, "a.csv"), waves(home, "b.csv")]
    sets = [*SETS, "protocol=cooperative"]
    rows, folder = recommended(resolve("autoscaling", None, sets, files), home)
    for row in rows:
        assert row["decision"].startswith("No recommendation: protocol must come with an assignor")
        assert (row["is_kept"], row["answer"], row["page"]) == (False, None, None)
    assert list(folder.iterdir()) == []


def test_an_objective_that_nothing_keeps_has_a_page(home: Home) -> None:
    """Partition d has up to 200 events/s, and nobody serves more than 100 of them."""
    files = [waves(home, "a.csv"), waves(home, "b.csv")]
    sets = ["mu=100", "wsla_s=5", "strategies=constant,keda_hpa"]
    rows, folder = recommended(resolve("autoscaling", None, sets, files), home)
    assert [row["page"] for row in rows] == [
        f"recommendation-trace-{name}.html" for name in ("a", "b")
    ]
    for row in rows:
        assert not row["is_kept"]
        page = (folder / row["page"]).read_text()
        assert "Files to deploy" not in page
        assert row["decision"].split(":")[0] in page


def test_only_runs_over_recordings_of_ones_own_have_the_stage(home: Home) -> None:
    (own,) = (stage for stage in FAMILY.stages if stage.name == "recommend_groups")
    assert own.when(resolve("autoscaling", None, SETS, [waves(home)]))
    assert not own.when(resolve("autoscaling", None, [], []))
