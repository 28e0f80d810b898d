"""Experiments on autoscaling over recorded files: what files determine, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.workloads import workload_notes
from pipeline.inputs import traces
from pipeline.inputs.traces import published_workloads
from pipeline.inputs.traces.published_workloads import W1
from pipeline.inputs.traces.reading import Reading
from pipeline.settings import strategy_names
from pipeline.settings.load import resolve
from pipeline.settings.recorded_scaling import FOR_TOTALS, FROM_TRACE
from pipeline.settings.run_config import RunConfig
from pipeline.settings.scaling_presets import PAPERS

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
    assert experiment.strategies == strategy_names.resolve("all:sweep", 2, 200.0, 0.5, 1.0)


def test_longer_steps_are_cut_unless_events_come_in_bursts(tmp_path: Path) -> None:
    """Of steps that stay, times between decisions that are shorter become one step, once."""
    paths = written(tmp_path, slow=SLOW)
    (cut,) = resolved(paths, "strategies=all:sweep").autoscaling
    assert (cut.step_s, cut.parts, cut.group["step_s"]) == (30.0, 30, 1.0)
    assert {"ds2", "ds2:decision_s=5.0"} <= set(cut.strategies)
    (experiment,) = resolved(paths, "strategies=all:sweep", "arrivals=burst").autoscaling
    assert (experiment.step_s, experiment.parts, experiment.group["step_s"]) == (30.0, 1, 30.0)
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


@pytest.mark.parametrize("names", [["total"], ["total", "slow"]])
def test_other_workloads_have_no_published_figures(tmp_path: Path, names: list[str]) -> None:
    texts = {"total": TOTAL, "slow": SLOW}
    paths = written(tmp_path, **{name: texts[name] for name in names})
    message = refusal(paths, preset="autoscaling-papers")
    assert message.startswith(f"--trace {paths[0]}: not a workload that figures are published for")
    assert published_workloads.ADDRESS in message


def test_events_are_compared_on_each_file(tmp_path: Path) -> None:
    paths = written(tmp_path, total=TOTAL, wide=WIDE)
    assert "--preset autoscaling with --set bad_hour_seeds=30" in refusal(paths, preset="bad-hour")
    sets = ("events=crash", "bad_hour_seeds=30", "strategies=linear")
    config = resolved(paths, *sets, preset="autoscaling")
    assert [(one.bad_hour_seeds, one.events) for one in config.autoscaling] == [
        (30, ("crash",))
    ] * 2


def test_claims_have_their_experiments_on_each_file(tmp_path: Path) -> None:
    paths = written(tmp_path, total=TOTAL)
    config = resolved(paths, preset="group-claims")
    assert [e.name for e in config.autoscaling] == ["equal-5", "skew-9"]
    for one in config.autoscaling:
        assert (one.trace, one.iterations, one.claim_seeds) == ("trace-total", 3, 30)
    generated = resolve("group-claims", None, [], [])
    assert config.seed == generated.seed
    assert [e.strategies for e in config.autoscaling] == [
        e.strategies for e in generated.autoscaling
    ]
    two = resolved(
        written(tmp_path, a=TOTAL, b="timestamp,rate\n0,1\n1,2\n"), preset="group-claims"
    )
    assert [e.name for e in two.autoscaling] == [
        f"trace-{name}-{one}" for name in "ab" for one in ("equal-5", "skew-9")
    ]


def test_claims_of_two_hours_are_judged_on_files_too(tmp_path: Path) -> None:
    paths = written(tmp_path, total=TOTAL)
    config = resolved(paths, preset="group-claims-2h")
    generated = resolve("group-claims-2h", None, [], [])
    assert config.seed == generated.seed
    assert [(e.name, e.strategies) for e in config.autoscaling] == [
        (e.name, e.strategies) for e in generated.autoscaling
    ]
    assert {e.trace for e in config.autoscaling} == {"trace-total"}
    assert {(e.profile, e.iterations) for e in generated.autoscaling} == {("taxi_days", 7207)}


def test_claims_need_one_total_rate_per_second(tmp_path: Path) -> None:
    paths = written(tmp_path, wide=WIDE)
    assert "a rate per partition" in refusal(paths, preset="group-claims")
    slow = written(tmp_path, slow=SLOW)
    assert "`step_s` must be 1 s where `claim_seeds`" in refusal(slow, preset="group-claims")


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


TOPICS = "timestamp,topic,partition,rate\n0,b,0,5\n0,a,2,1\n30,b,0,5\n30,a,2,1\n"


def test_partitions_between_others_belong_to_a_topic(tmp_path: Path) -> None:
    config = resolved(written(tmp_path, t=TOPICS), "strategies=linear")
    assert config.traces[0].topic_sizes == (3, 1)
    assert config.autoscaling[0].partitions == 4
    assert workload_notes.notes(config, "r") == [
        "t.csv: Partitions a/0, a/1 are not in the file; they count as partitions without events."
    ]


def test_topics_make_another_configuration_but_words_do_not(tmp_path: Path) -> None:
    one = resolved(written(tmp_path, t="timestamp,a/0,a/1\n0,5,6\n1,7,8\n"), "strategies=linear")
    two = resolved(written(tmp_path, t="timestamp,a/0,b/0\n0,5,6\n1,7,8\n"), "strategies=linear")
    assert one.traces[0].digest == two.traces[0].digest
    assert one.fingerprint() != two.fingerprint()
    noted = one.traces[0].model_copy(update={"notes": ("x",), "unit": "bytes/s"})
    assert one.model_copy(update={"traces": (noted,)}).fingerprint() == one.fingerprint()


def test_a_recording_has_the_seed_of_other_commands(tmp_path: Path) -> None:
    paths = written(tmp_path, wide=WIDE)
    assert resolved(paths, "strategies=linear").seed == 0
    assert resolved(paths, "strategies=linear", "seed=5").seed == 5


PROMETHEUS = """{"status":"success","data":{"resultType":"matrix","result":[{"metric":
{"topic":"t","partition":"0"},"values":[[0,"10"],[60,"130"],[120,"250"],[180,"370"]]}]}}"""


def test_settings_say_how_files_are_read(tmp_path: Path) -> None:
    file = tmp_path / "t.json"
    file.write_text(PROMETHEUS)
    for value, rate in (("offsets", 2.0), ("rates", 370.0)):
        config = resolved([file], "strategies=linear", f"values={value}")
        assert config.traces[0].values == value
        assert config.traces[0].fastest[0].rate == pytest.approx(rate)
    settings = tmp_path / "c.yaml"
    settings.write_text("preset: autoscaling-smoke\nstrategies: linear\nvalues: offsets\n")
    config = resolve(None, settings, [], [file])
    assert config.traces[0].reading == Reading("offsets")
    assert resolve(None, settings, [], [file], reading=Reading("rates")).traces[0].values == "rates"
    assert refusal([file], "values=lags").startswith(
        "--set values=lags: `values` must be rates or offsets (got a text of 4 characters)"
    )
    assert refusal([], "timestamps=ms") == (
        "--set timestamps=ms: `timestamps` only applies to recorded traces; add --trace"
    )
