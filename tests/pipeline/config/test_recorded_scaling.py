"""Experiments on autoscaling over recorded files: what files determine, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline import traces
from pipeline.autoscaling import workload_notes
from pipeline.config import strategy_names
from pipeline.config.load import resolve
from pipeline.config.recorded_scaling import FOR_TOTALS, FROM_TRACE
from pipeline.config.run_config import RunConfig
from pipeline.config.scaling_presets import PAPERS
from pipeline.errors import InputError
from pipeline.traces import published_workloads
from pipeline.traces.published_workloads import W1

pytestmark = pytest.mark.unit

TOTAL = "timestamp,rate\n0,5\n1,6\n2,9\n"
SLOW = "timestamp,rate\n0,5\n30,6\n60,9\n90,2\n"
WIDE = "iteration,a,b\n1,5,1\n2,6,\n"


def written(folder: Path, **texts: str) -> list[Path]:
    paths = [folder / f"{name}.csv" for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    return paths


def resolved(paths: list[Path], *settings: str, preset: str = "autoscaling-smoke") -> RunConfig:
    return resolve(preset, None, list(settings), paths)


def refusal(paths: list[Path], *settings: str, preset: str = "autoscaling-smoke") -> str:
    with pytest.raises(InputError) as caught:
        resolved(paths, *settings, preset=preset)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_every_file_is_one_experiment_of_its_size(tmp_path: Path) -> None:
    """Without timestamps, a step is a second; the preset's own experiments have no part in it."""
    paths = written(tmp_path, total=TOTAL, slow=SLOW, wide=WIDE)
    config = resolved(paths, "strategies=linear,headroom:h=2", "mu=50")
    assert [
        (e.name, e.workload, e.partitions, e.iterations, e.step_s) for e in config.autoscaling
    ] == [
        ("trace-total", "trace-total, 9 partitions, equal", 9, 3, 1.0),
        ("trace-slow", "trace-slow, 9 partitions, equal", 9, 4, 30.0),
        ("trace-wide", "trace-wide, 2 partitions, equal", 2, 2, 1.0),
    ]
    for experiment, source in zip(config.autoscaling, config.traces, strict=True):
        assert (experiment.trace, experiment.replicates) == (source.stream_id, 1)
        assert (experiment.mu, experiment.poisson) == (50.0, False)
        assert experiment.strategies == ("linear", "headroom:h=2")
    assert config.experiments == ()


def test_all_strategies_are_swept_unless_some_are_named(tmp_path: Path) -> None:
    (experiment,) = resolved(written(tmp_path, wide=WIDE)).autoscaling
    assert experiment.strategies == strategy_names.resolve("all:sweep", 2, 200.0, 0.5)


def test_longer_steps_have_sweeps_in_whole_steps(tmp_path: Path) -> None:
    """Times between decisions that are shorter than a step become one step, once."""
    (experiment,) = resolved(written(tmp_path, slow=SLOW), "strategies=all:sweep").autoscaling
    assert experiment.step_s == 30.0
    times = [label for label in experiment.strategies if label.startswith("ds2:")]
    assert times == ["ds2:decision_s=60.0"]


@pytest.mark.parametrize("key", FOR_TOTALS)
def test_rates_per_partition_are_not_split(tmp_path: Path, key: str) -> None:
    message = refusal(written(tmp_path, total=TOTAL, wide=WIDE), f"{key}=1")
    assert message.startswith(f"--set {key}=1: `{key}` does not apply to wide.csv, which has a ")


@pytest.mark.parametrize("key", FROM_TRACE)
def test_what_a_file_determines_is_not_set(tmp_path: Path, key: str) -> None:
    message = refusal(written(tmp_path, total=TOTAL), f"{key}=1")
    assert message.startswith(f"--set {key}=1: `{key}` does not apply to a recorded workload; ")


def test_files_of_the_same_name_are_two_experiments(tmp_path: Path) -> None:
    long = "x" * 60
    paths = []
    for folder in (tmp_path / "a", tmp_path / "b"):
        folder.mkdir()
        paths += written(folder, **{"my rates": TOTAL, long: TOTAL})
    names = [e.name for e in resolved(paths, "strategies=linear").autoscaling]
    assert len(set(names)) == 4
    assert max(map(len, names)) == 40
    assert names[0].startswith("trace-my")


def test_experiments_of_a_file_do_not_go_with_recorded_workloads(tmp_path: Path) -> None:
    config = tmp_path / "c.yaml"
    config.write_text("family: autoscaling\nexperiments:\n  a:\n    mu: 50\n")
    with pytest.raises(InputError, match=r"c\.yaml:4: `experiments` cannot be used with recorded"):
        resolve(None, config, [], written(tmp_path, total=TOTAL))


def test_a_published_workload_has_the_experiments_of_its_figures(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is known by its rates; the experiments of the other one are left out."""
    paths = written(tmp_path, renamed=TOTAL)
    invented = W1._replace(digest=traces.load(paths[0]).digest)
    monkeypatch.setattr(published_workloads, "WORKLOADS", (invented,))
    config = resolved(paths, preset="autoscaling-papers")
    names = [name for name in PAPERS if name.startswith("W1")]
    assert [e.name for e in config.autoscaling] == names
    for experiment in config.autoscaling:
        assert experiment.strategies == PAPERS[experiment.name]["strategies"]
        assert (experiment.trace, experiment.iterations) == ("trace-renamed", 3)
        assert (experiment.rounding, experiment.rebalance_s) == ("ceil", 0.05)
    (note,) = workload_notes.notes(config, "r")
    assert note.startswith("Recognized renamed.csv by its rates as published workload W1: 10 min")


@pytest.mark.parametrize("given", [["total"], ["total", "slow"]])
def test_other_workloads_have_no_published_figures(tmp_path: Path, given: list[str]) -> None:
    texts = {"total": TOTAL, "slow": SLOW}
    paths = written(tmp_path, **{name: texts[name] for name in given})
    message = refusal(paths, preset="autoscaling-papers")
    assert message.startswith(f"--trace {paths[0]}: not a workload that figures are published for")
    assert published_workloads.ADDRESS in message


HOT = "timestamp,a,b\n0,90,5\n30,60,5\n60,20,5\n"


def test_hot_partitions_and_forms_are_told_before_a_run(tmp_path: Path) -> None:
    """The capacity of a consumer is `mu`; a total rate has no partitions of its own."""
    offsets = "".join(
        f"2024-05-01T12:0{k}:00Z\norders:0:{6_000 * k}\norders:1:{60 * k}\n" for k in range(4)
    )
    (tmp_path / "offsets.txt").write_text(offsets)
    paths = [*written(tmp_path, hot=HOT, total=TOTAL), tmp_path / "offsets.txt"]
    config = resolved(paths, "mu=5")
    assert [source.hot for source in config.traces] == [1, 0, 1]
    form, hot, other = workload_notes.notes(config, "r")
    assert form.startswith("Recognized offsets.txt as 4 snapshots of kafka-get-offsets, ")
    assert hot.startswith("hot.csv: Hot partition: a, up to 18 × mu at 0. Every strategy falls ")
    assert other.startswith("offsets.txt: Hot partition: orders/0, up to 20 × mu at 2024-05-01T")
    assert workload_notes.notes(resolved(paths, "mu=100"), "r") == [form]


def test_profiles_have_nothing_to_tell() -> None:
    assert workload_notes.notes(resolve("autoscaling-smoke", None, [], []), "r") == []
