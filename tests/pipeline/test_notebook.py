"""The example notebook runs from top to bottom, and its results are right."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from pipeline.base.paths import Paths
from pipeline.settings.presets import PRESETS
from tests import notebook, warehouse
from tests.warehouse import Night

pytestmark = [pytest.mark.unit, pytest.mark.slow]


def answers(folder: Path, monkeypatch: pytest.MonkeyPatch, *nights: Night) -> dict[str, Any]:
    """Variables of the notebook after all its cells; prints what they print."""
    place = warehouse.write(Paths(folder / "warehouse"), nights or warehouse.NIGHTS)
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", str(place.warehouse))
    done = notebook.executed()
    print(notebook.text(done.outputs))
    return done.names


SMOKE = Night("usual", 0, preset="smoke")
"""Run of preset smoke with the headroom that the runs of preset paper have too."""


def test_the_five_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    variables = answers(tmp_path, monkeypatch, *warehouse.NIGHTS, SMOKE)
    # 120 iterations an hour, δ of 5: BFD costs 14 + 12 × 1, MWF 15 + 12 × 0.25.
    assert variables["costs"].by_data.round(6).to_dict() == {
        "MWF": 18.0,
        "MBF": 18.4,
        "BFD": 26.0,
        "NF": 48.0,
    }
    assert variables["costs"].by_partition["MWF"] == pytest.approx(15 + 12 * 1.0)
    assert variables["cheapest"].to_dict() == {"by_data": "MWF", "by_partition": "MWF"}
    # The shorter of headroom, the longer data waits: by 133 / 100 at none.
    assert variables["headroom"].p90.to_list() == pytest.approx([6.005, 5.0075, 4.52], abs=0.01)
    # Streams of preset paper need four times the consumers, and are no part of the answer.
    assert variables["headroom"].bought.to_list() == pytest.approx([15.0, 18.0, 19.95])
    assert variables["headroom"].streams.to_list() == [warehouse.REPLICATES] * 3
    assert variables["bought"].iloc[0].to_list() == pytest.approx([-0.9975, 3.0])
    assert (variables["least"], variables["safe"]) == (["kd_16"], ["kd_18"])
    assert variables["groups"].p90["kd_20"] == 0
    assert variables["never"] == ["NF"]
    assert variables["worth"].beaten_by["NF"] == "BFD"
    # The last two runs of preset smoke differ in latency alone: three volatilities of four
    # algorithms, and five static groups and MWF at one, in eight metrics each.
    assert variables["last"].to_dict("records") == [
        {
            "run_id": "tight",
            "previous_run_id": "roomy",
            "same_configuration": True,
            "same_versions": True,
            "compared": 18 * 8,
        }
    ]
    assert set(variables["changes"].metric) == {"p50", "p90", "p99"}
    said = capsys.readouterr().out
    assert "by_data: MWF, 18.00 consumer-hours per hour (next: 18.40)" in said
    assert "51 of 144 values differ from those of roomy" in said
    assert variables["own"].empty
    assert "No published run has the experiment trace; groupscale run --trace FILE makes" in said
    for experiment in ("tradeoff", "latency"):
        named = set(re.findall(r"\w+", variables["HAVING"][experiment])) & set(PRESETS)
        assert named == {name for name in PRESETS if experiment in PRESETS[name].experiments}


@pytest.mark.parametrize(
    ("nights", "expected"),
    [
        # Each preset at two headrooms, of which they share one: no mean is over both.
        ([("paper", 133, 1), ("paper", 120, 2), ("smoke", 133, 3), ("smoke", 100, 4)], [1.0, 1.33]),
        # A stream that was run twice with one headroom counts once.
        ([("smoke", 133, 1), ("smoke", 133, 2), ("smoke", 120, 3), ("paper", 133, 4)], [1.2, 1.33]),
    ],
)
def test_headroom_is_compared_on_the_same_streams_alone(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    nights: list[tuple[str, float, int]],
    expected: list[float],
) -> None:
    runs = [Night(f"n{hour}", hour, "published", *kind) for *kind, hour in nights]
    headroom = answers(tmp_path, monkeypatch, *runs)["headroom"]
    assert headroom.index.to_list() == expected
    assert (headroom.streams == warehouse.REPLICATES).all()
    assert (headroom.consumers == 15.0).all()


def test_a_metric_that_moved_is_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = answers(tmp_path, monkeypatch, *warehouse.NIGHTS[:2])
    assert variables["last"].run_id[0] == "second"
    assert not variables["last"].same_versions[0]
    moved = variables["changes"][variables["changes"].outside]
    assert set(moved.metric) == {"cbs"}
    assert set(moved.algorithm) == {"MWF"}
    # At six volatilities, and in the experiment of latencies.
    assert (moved.value - moved.previous_value).to_list() == pytest.approx([0.05] * 7)
    # δ of 5 and 10, streams of 200 partitions in place of 16.
    assert variables["costs"].by_data["BFD"] == pytest.approx(14 * 12.5 + 12 * 1.5)


def test_one_run_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    answers(tmp_path, monkeypatch, warehouse.NIGHTS[0])
    said = capsys.readouterr().out
    assert "No stream was run with two headrooms" in said
    assert "No preset has two published runs yet" in said


def test_a_warehouse_of_nights_answers_what_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    nights = [Night(f"n{hour}", hour, preset="nightly") for hour in (1, 2)]
    variables = answers(tmp_path, monkeypatch, *nights)
    assert variables["cheapest"].to_dict() == {"by_data": "MWF", "by_partition": "MWF"}
    assert (variables["headroom"].empty, variables["groups"].empty) == (True, True)
    assert variables["never"] == ["NF"]
    assert variables["last"].run_id[0] == "n2"
    said = capsys.readouterr().out
    assert "No stream was run with two headrooms" in said
    assert "No published run has the experiment latency; presets paper and smoke have it" in said
    assert "0 of 192 values differ from those of n1" in said


def test_an_empty_warehouse_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(LookupError, match="no run is published in this warehouse"):
        answers(tmp_path, monkeypatch, warehouse.NIGHTS[-1])


def test_the_newest_run_over_a_trace_answers_for_ones_own_topic(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of those under which few data waits shortly, the fewest consumers; groups are apart."""
    warehouse.write_trace(Paths(tmp_path / "warehouse"))
    variables = answers(tmp_path, monkeypatch)
    own = variables["own"]
    assert own.index.to_list() == ["kd_4", "NF", "BFD", "MWF", "kd_6", "kd_9"]
    assert own.index[own.enough].to_list() == ["BFD", "MWF", "kd_6", "kd_9"]
    said = capsys.readouterr().out
    assert "Algorithm: BFD with 4.8 consumers on average" in said
    assert "Fixed group: kd_6 with 6.0 consumers on average" in said


NAME = re.compile(r"[\w.-]+")
KERNEL = """
import json, sys
sys.path.append(sys.argv[1])
names = {}
for cell in json.load(open("questions.ipynb", encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
"""


def with_requirements(packages: Iterable[str]) -> dict[str, metadata.Distribution]:
    """Packages and, over and over, those that they require and that are here."""
    known: dict[str, metadata.Distribution] = {}
    rest = list(packages)
    while rest:
        name = rest.pop()
        if name in known:
            continue
        with suppress(metadata.PackageNotFoundError):
            known[name] = metadata.distribution(name)
            required = [one for one in known[name].requires or () if "extra ==" not in one]
            rest += [one[0] for one in map(NAME.match, required) if one]
    return known


def install(packages: Iterable[metadata.Distribution], folder: Path) -> None:
    """Link the modules of packages into a folder of their own."""
    folder.mkdir()
    for package in packages:
        for top in {file.parts[0] for file in package.files or ()} - {"..", "__pycache__"}:
            (folder / top).symlink_to(str(package.locate_file(top)))


def test_it_needs_the_packages_that_it_names_and_nothing_of_ours(tmp_path: Path) -> None:
    """In an interpreter without site-packages: Jupyter alone is not there."""
    text = "".join(notebook.parsed()["cells"][0]["source"])
    (stated,) = re.findall(r"`pip install ([^`]*)`", text)
    packages = with_requirements(set(stated.split()) - {"jupyterlab"})
    assert set(stated.split()) - packages.keys() == {"jupyterlab"}
    install(packages.values(), modules := tmp_path / "modules")
    place = warehouse.write(Paths(tmp_path / "warehouse"), [*warehouse.NIGHTS, SMOKE])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", KERNEL, str(modules)],
        cwd=notebook.NOTEBOOK.parent,
        env={**os.environ, "GROUPSCALE_WAREHOUSE": str(place.warehouse)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "by_data: MWF, 18.00 consumer-hours per hour (next: 18.40)" in done.stdout


def test_the_file_is_a_notebook() -> None:
    content = notebook.parsed()
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    ids = [cell["id"] for cell in content["cells"]]
    assert len(set(ids)) == len(ids)


def test_outputs_are_stored_without_paths_of_a_machine() -> None:
    cells = [cell for cell in notebook.parsed()["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, start=1):
        assert cell["execution_count"] == number
        assert cell["outputs"], cell["id"]
    outputs = json.dumps([cell["outputs"] for cell in cells])
    assert not re.search(r"(?<![<\w])/(home|root|tmp|work|Users)/", outputs)
    assert "Traceback" not in outputs
    assert notebook.NOTEBOOK.stat().st_size < 200_000
