"""The notebook of questions runs from top to bottom, and its answers are right."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from pipeline.paths import Paths
from tests import warehouse
from tests.warehouse import Night

pytestmark = pytest.mark.unit

NOTEBOOK = Path(__file__).parents[2] / "docs" / "questions.ipynb"
PARSED = json.loads(NOTEBOOK.read_text(encoding="utf-8"))


def answers(folder: Path, monkeypatch: pytest.MonkeyPatch, *nights: Night) -> dict[str, Any]:
    """Run all cells in one namespace, as a kernel does; what a cell shows must be showable."""
    place = warehouse.write(Paths(folder / "warehouse"), nights or warehouse.NIGHTS)
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(place.warehouse))
    names: dict[str, Any] = {}
    for cell in PARSED["cells"]:
        if cell["cell_type"] == "code":
            body = ast.parse("".join(cell["source"])).body
            shown = body.pop() if isinstance(body[-1], ast.Expr) else None
            exec(compile(ast.Module(body, []), cell["id"], "exec"), names)
            if isinstance(shown, ast.Expr):
                repr(eval(compile(ast.Expression(shown.value), cell["id"], "eval"), names))
    return names


def test_the_five_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = answers(tmp_path, monkeypatch)
    # 120 iterations an hour, δ of 5 and 10: BFD costs 14 + 12 × 1.5, MWF 15 + 12 × 0.375.
    assert found["costs"].by_data.round(6).to_dict() == {
        "MWF": 19.5,
        "MBF": 20.2,
        "BFD": 32.0,
        "NF": 63.0,
    }
    assert found["costs"].by_partition["MWF"] == pytest.approx(15 + 12 * 1.5)
    assert found["cheapest"].to_dict() == {"by_data": "MWF", "by_partition": "MWF"}
    # The shorter of headroom, the longer data waits: by 133 / 100 at none.
    assert found["headroom"].p90.to_list() == pytest.approx([6.005, 5.0075, 4.52], abs=0.01)
    assert found["headroom"].bought.to_list() == pytest.approx([15.0, 18.0, 19.95])
    assert found["headroom"].runs.to_list() == [1, 1, 2]
    assert found["bought"].iloc[0].to_list() == pytest.approx([-0.9975, 3.0])
    assert (found["least"], found["safe"]) == (["kd_16"], ["kd_18"])
    assert found["groups"].p90["kd_20"] == 0
    assert found["never"] == ["NF"]
    assert found["worth"].beaten_by["NF"] == "BFD"
    # The two runs of preset smoke are last; they differ in latency alone.
    assert found["last"].to_dict("records") == [
        {
            "run_id": "tight",
            "previous_run_id": "roomy",
            "same_configuration": True,
            "same_versions": True,
            "compared": 14 * 8,
        }
    ]
    assert set(found["changes"].metric) == {"p50", "p90", "p99"}
    said = capsys.readouterr().out
    assert "by_data: MWF, 19.50 consumer-hours per hour (next: 20.20)" in said
    assert "39 of 112 values differ from those of roomy" in said


def test_a_metric_that_moved_is_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = answers(tmp_path, monkeypatch, *warehouse.NIGHTS[:2])
    assert found["last"].run_id[0] == "second"
    assert not found["last"].same_versions[0]
    moved = found["changes"][found["changes"].outside]
    assert set(moved.metric) == {"cbs"}
    assert set(moved.algorithm) == {"MWF"}
    assert (moved.value - moved.previous_value).to_list() == pytest.approx([0.05] * 3)


def test_one_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(tmp_path, monkeypatch, warehouse.NIGHTS[0])
    said = capsys.readouterr().out
    assert "There is one headroom only" in said
    assert "No preset has two published runs yet" in said


def test_an_empty_warehouse_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LookupError, match="no published run has the experiment tradeoff"):
        answers(tmp_path, monkeypatch, warehouse.NIGHTS[-1])


def test_the_file_is_a_notebook_without_output() -> None:
    assert (PARSED["nbformat"], PARSED["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in PARSED["cells"]]
    assert len(set(ids)) == len(ids)
    for cell in PARSED["cells"]:
        if cell["cell_type"] == "code":
            assert cell["outputs"] == []
            assert cell["execution_count"] is None
