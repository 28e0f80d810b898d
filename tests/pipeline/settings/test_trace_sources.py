"""The configuration of a run over recorded traces."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from algorithms.assignment import registry
from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.inputs import traces as recorded
from pipeline.inputs.traces.model import digest_of
from pipeline.settings import traces as trace_sources
from pipeline.settings.algorithm_names import OWN, static_sizes
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig

pytestmark = pytest.mark.unit

TRACE = "iteration,a,b\n1,10,20\n2,11,\n"


def refusal(*sets: str, file: Path | None = None, traces: tuple[Path, ...] = ()) -> str:
    with pytest.raises(InputError) as caught:
        resolve(None, file, list(sets), list(traces))
    return str(caught.value)


def written(folder: Path, text: str) -> Path:
    file = folder / "c.yaml"
    file.write_text(text, encoding="utf-8")
    return file


def traces(folder: Path, *names: str, text: str = TRACE) -> list[Path]:
    files = [folder / name for name in names]
    for number, file in enumerate(files):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("10", str(100 + number)))
    return files


def test_a_trace_is_the_one_experiment_of_its_run(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "load.csv")
    config = resolve("paper", None, [], [file])
    (experiment,) = config.experiments
    assert (config.preset, experiment.name) == ("trace", "trace")
    assert (experiment.partitions, experiment.iterations, experiment.replicates) == (2, 2, 1)
    assert (experiment.deltas, experiment.initial_rates) == ((), ())
    (source,) = config.traces
    assert (source.path, source.stream_id) == (file, "trace-load")
    assert len(source.digest) == 64


def test_trace_paths_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Airflow's tasks run in other folders."""
    traces(tmp_path, "load.csv")
    monkeypatch.chdir(tmp_path)
    config = resolve(None, None, [], [Path("load.csv")])
    assert config.traces[0].path == tmp_path / "load.csv"


def test_traces_may_differ_in_size(tmp_path: Path) -> None:
    (small,) = traces(tmp_path, "small.csv")
    large = tmp_path / "large.csv"
    large.write_text("iteration,a,b,c\n" + "".join(f"{k},1,2,3\n" for k in range(5)))
    config = resolve(None, None, [], [small, large])
    assert (config.experiments[0].partitions, config.experiments[0].iterations) == (3, 5)
    assert [(t.partitions, t.iterations) for t in config.traces] == [(2, 2), (3, 5)]
    assert config.experiments[0].algorithms == (
        *(*registry.reference_set(), *OWN),
        *("kd_1", "kd_2"),
    )


def test_a_trace_is_tried_with_groups_that_an_engineer_would_choose(tmp_path: Path) -> None:
    file = tmp_path / "wide.csv"
    names = [f"p{j}" for j in range(100)]
    rows = (f"{k},{','.join([str(rate)] * 100)}\n" for k, rate in enumerate((5, 5, 20)))
    file.write_text(f"iteration,{','.join(names)}\n{''.join(rows)}")
    chosen = resolve(None, None, [], [file]).experiments[0].algorithms
    assert chosen[:12] == registry.reference_set()
    assert chosen[12:20] == OWN
    # A mean of 1,000 and a peak of 2,000 bytes/s, at 100 bytes/s for a consumer.
    static = [registry.parameter_of(name) for name in chosen[20:]]
    assert static == [9, 10, 11, 12, 13, 15, 17, 18, 19, 20, 21, 25, 30, 40, 60, 100]


@pytest.mark.parametrize(
    ("partitions", "mean", "peak", "sizes"),
    [
        (3, 10.0, 900.0, [1, 2, 3]),
        (12, 0.0, 0.0, list(range(1, 13))),
        (20, 0.0, 0.0, [1, 20]),
        (20, 150.0, 150.0, [1, 2, 3, 4, 6, 20]),
        (20, 1e300, math.inf, [19, 20]),
    ],
)
def test_fixed_groups_are_within_the_partitions(
    partitions: int, mean: float, peak: float, sizes: list[int]
) -> None:
    assert static_sizes(partitions, 100.0, mean, peak) == sizes


def with_topics(tmp_path: Path, *sizes: int) -> Path:
    """A trace of topics of these sizes, each partition at 25 bytes/s, then 38."""
    cells = [f"t{topic},{j}" for topic, size in enumerate(sizes) for j in range(size)]
    rows = [f"{k},{cell},{rate}" for k, rate in enumerate((25, 25, 25, 38)) for cell in cells]
    file = tmp_path / "topics.csv"
    file.write_text("\n".join(["iteration,topic,partition,rate", *rows]) + "\n")
    return file


def fixed(config: RunConfig) -> list[str]:
    names = config.experiments[0].algorithms
    return [name for name in names if registry.members_of(name) is not None]


@pytest.mark.parametrize(
    ("sizes", "groups"),
    [
        # 9 partitions have a mean load of 2.5 consumers and a peak load of 3.5.
        ((4, 5), ["range_2", "range_3", "range_4", "range_5"]),
        # With 4 consumers, each topic of 4 partitions is assigned as kd_4 does.
        ((4, 4), ["range_2", "range_3"]),
        ((2, 3), ["range_2", "range_3"]),
        ((1, 1, 1), []),
        ((9,), []),
    ],
)
def test_several_topics_are_tried_with_the_range_assignor(
    tmp_path: Path, sizes: tuple[int, ...], groups: list[str]
) -> None:
    config = resolve(None, None, [], [with_topics(tmp_path, *sizes)])
    assert fixed(config) == [*(f"kd_{n}" for n in range(1, sum(sizes) + 1)), *groups]


def test_range_is_allowed_on_one_topic(tmp_path: Path) -> None:
    config = resolve(None, None, ["algorithms=BFD,range_2..range_5"], [with_topics(tmp_path, 5)])
    assert fixed(config) == ["range_2", "range_3", "range_4", "range_5"]


@pytest.mark.parametrize(("sizes", "most"), [((3, 2), 3), ((4,), 4)])
def test_range_leaves_no_consumer_idle(tmp_path: Path, sizes: tuple[int, ...], most: int) -> None:
    file = with_topics(tmp_path, *sizes)
    pattern = rf"range_{most + 1} has .*partitions.*choose range_{most} or lower"
    with pytest.raises(InputError, match=pattern):
        resolve(None, None, [f"algorithms=BFD,range_{most},range_{most + 1}"], [file])


def test_streams_of_files_with_one_name_have_different_ids(tmp_path: Path) -> None:
    files = traces(tmp_path, "x/a.csv", "y/a.csv", "z/a-2.csv", "z/a b&c.csv", "z/ä.csv")
    config = resolve(None, None, [], files)
    ids = [source.stream_id for source in config.traces]
    assert ids == ["trace-a", "trace-a-2", "trace-a-2-2", "trace-a-b-c", "trace-ä"]


def test_a_file_given_twice_is_refused(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "a.csv")
    link = tmp_path / "b.csv"
    link.symlink_to(file)
    assert "twice" in refusal(traces=(file, link))


@pytest.mark.parametrize(
    "option",
    ["deltas=5", "replicates=2", "partitions=2", "iterations=2", "initial_rates=50", "clip=false"],
)
def test_settings_that_a_trace_has_no_use_for_are_refused(tmp_path: Path, option: str) -> None:
    (file,) = traces(tmp_path, "a.csv")
    message = refusal(option, traces=(file,))
    assert message.startswith(f"--set {option}: ")
    assert f"`{option.partition('=')[0]}`" in message


def test_settings_of_a_trace(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "a.csv")
    text = "capacity: 10\nseed: 4\nexperiments: {trace: {algorithms: kd_2, capacity: 20}}"
    config = resolve(None, written(tmp_path, text), ["iteration_seconds=1"], [file])
    (experiment,) = config.experiments
    assert (config.seed, experiment.capacity, experiment.iteration_seconds) == (4, 20.0, 1.0)
    assert experiment.algorithms == ("kd_2",)


def test_other_experiments_than_the_trace_are_refused(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "a.csv")
    config = written(tmp_path, "experiments:\n  mine: {capacity: 5}\n")
    message = refusal(file=config, traces=(file,))
    assert message.startswith(f"{config}:2: ")
    assert "'mine'" in message


def test_an_experiment_named_trace_needs_traces(tmp_path: Path) -> None:
    config = written(tmp_path, "experiments: {trace: {partitions: 5}}")
    assert "'trace'" in refusal(file=config)


def test_wrong_settings_are_told_before_traces_are_read(tmp_path: Path) -> None:
    message = refusal("capacity=200", traces=(tmp_path / "none.csv",))
    assert "`consumer_capacity`" in message
    assert "not found" in refusal(traces=(tmp_path / "none.csv",))


def test_kafka_assignments_must_fit_the_smallest_trace(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "a.csv")
    message = refusal("algorithms=kd_3", traces=(file,))
    assert "kd_3" in message
    assert "2 partitions" in message


def test_rates_far_beyond_the_capacity_are_refused(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "a.csv", text="iteration,a\n1,1e300\n2,5\n")
    message = refusal(traces=(file,))
    assert message.startswith(f"{file}: ")
    assert "1e+300 bytes/s" in message
    (file,) = traces(tmp_path, "b.csv", text="iteration,a,b\n1,1e308,1e308\n2,5,5\n")
    assert "inf bytes/s" in refusal(traces=(file,))


def test_more_samples_than_can_be_counted_are_refused(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "a.csv", text="iteration,a\n1,5\n2,1e15\n")
    large = ("capacity=1e15", "consumer_capacity=1e15")
    assert "latency samples" in refusal(*large, traces=(file,))
    assert resolve(None, None, [*large, "iteration_seconds=1"], [file]).n_streams() == 1


def test_irregular_times_become_iterations_of_the_usual_step(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "a.csv", text="timestamp,a\n0,5\n30,6\n75,7\n90,8\n")
    (source,) = resolve(None, None, [], [file]).traces
    assert (source.step_seconds, source.iterations) == (30.0, 4)
    (longer,) = resolve(None, None, ["iteration_seconds=60"], [file]).traces
    assert (longer.step_seconds, longer.iterations) == (60.0, 2)
    assert len({source.digest, longer.digest}) == 2


def test_what_is_in_memory_is_what_the_description_says(tmp_path: Path) -> None:
    text = "timestamp,partition,rate\n0,a,5\n30,a,6\n75,b,7\n90,a,8\n900,b,1\n"
    (file,) = traces(tmp_path, "a.csv", text=text)
    for asked in ([], ["iteration_seconds=17"], ["iteration_seconds=1000"]):
        (source,) = resolve(None, None, asked, [file]).traces
        read = recorded.resampled(recorded.load(source.path), source.path, source.step_seconds)
        for trace in (read, source.trace):
            assert trace.digest == digest_of(trace.rates) == source.digest
            assert trace.rates.shape == (source.iterations, source.partitions)


def test_a_file_is_read_once(tmp_path: Path) -> None:
    """A run is on what it was configured with, whatever happens to the file."""
    (file,) = traces(tmp_path, "a.csv")
    config = resolve(None, None, [], [file])
    (source,) = config.traces
    file.write_text(TRACE.replace("20", "21"))
    assert source.trace.rates[0].tolist() == [100.0, 20.0]
    assert config.recorded == {"trace-a": source.trace}
    # A process that has only the description reads the file, and compares it.
    (other,) = RunConfig.from_json(config.to_json()).traces
    assert other == source
    with pytest.raises(InputError, match="changed after the run was configured"):
        _ = other.trace


def test_all_traces_of_a_run_fit_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In each family; the rest of too many files is not even read."""
    monkeypatch.setattr(limits, "MAX_RATES_OF_TRACES", 7)
    files = traces(tmp_path, "a.csv", "b.csv")
    for preset, *sets in ((None,), ("autoscaling",), ("live-smoke", "strategies=MWF")):
        assert len(resolve(preset, None, sets, files[:1]).traces) == 1
        with pytest.raises(InputError, match=r"at most 7 rates in total \(got 8 in 2 traces\)"):
            resolve(preset, None, sets, [*files, tmp_path / "none.csv"])


def test_an_iteration_has_no_length_to_resample_by(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "a.csv", text="iteration,a\n0,5\n30,6\n75,7\n90,8\n")
    (source,) = resolve(None, None, ["iteration_seconds=60"], [file]).traces
    assert (source.step_seconds, source.iterations) == (None, 4)


def test_iterations_are_as_long_as_the_steps_of_the_trace(tmp_path: Path) -> None:
    (file,) = traces(tmp_path, "a.csv", text="timestamp,a\n0,5\n60,6\n120,7\n")
    assert resolve(None, None, [], [file]).experiments[0].iteration_seconds == 60
    asked = resolve(None, None, ["iteration_seconds=30"], [file]).experiments[0]
    assert asked.iteration_seconds == 30
    (file,) = traces(tmp_path, "b.csv", text="iteration,a\n0,5\n60,6\n")
    assert resolve(None, None, [], [file]).experiments[0].iteration_seconds == 30


def test_iterations_of_another_length_than_the_latency_model_takes_are_told(tmp_path: Path) -> None:
    (minutes,) = traces(tmp_path, "a.csv", text="timestamp,a\n0,5\n60,6\n120,7\n")
    (seconds,) = traces(tmp_path, "b.csv", text="timestamp,a\n0,5\n30,6\n60,7\n")
    config = resolve(None, None, [], [minutes, seconds])
    (note,) = trace_sources.notes(config.traces, config.experiments[0])
    assert note.startswith("a.csv ")
    assert "iteration_seconds=60" in note
    for agreed in (["iteration_seconds=60"], ["iteration_seconds=30"]):
        config = resolve(None, None, agreed, [minutes, seconds])
        assert trace_sources.notes(config.traces, config.experiments[0]) == []
