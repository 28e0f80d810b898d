"""From options and files to a configuration: precedence, and messages for wrong input."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from algorithms.assignment import registry
from pipeline.base.errors import InputError
from pipeline.settings.assignment_experiment import Experiment
from pipeline.settings.load import resolve
from pipeline.settings.presets import PRESETS
from pipeline.settings.run_config import RunConfig
from pipeline.settings.settings import KEYS

pytestmark = pytest.mark.unit


def refusal(
    *sets: str,
    preset: str | None = "smoke",
    file: Path | None = None,
    traces: tuple[Path, ...] = (),
) -> str:
    with pytest.raises(InputError) as caught:
        resolve(preset, file, list(sets), list(traces))
    return str(caught.value)


def configured(tmp_path: Path, text: str, preset: str | None = None, *sets: str) -> RunConfig:
    return resolve(preset, written(tmp_path, text), list(sets), [])


def written(folder: Path, text: str, name: str = "c.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


def named(config: RunConfig, name: str) -> Experiment:
    return {experiment.name: experiment for experiment in config.experiments}[name]


@pytest.mark.parametrize(
    ("option", "field", "value"),
    [
        ("deltas=5,10", "deltas", (5.0, 10.0)),
        ("deltas=[5, 10]", "deltas", (5.0, 10.0)),
        ("deltas=5", "deltas", (5.0,)),
        (" deltas = 5 , 10 ", "deltas", (5.0, 10.0)),
        ("initial_rates=uniform,50", "initial_rates", ("uniform", "50")),
        ("algorithms=MWF, kd_1..kd_3", "algorithms", ("MWF", "kd_1", "kd_2", "kd_3")),
        ('algorithms=["MWF"]', "algorithms", ("MWF",)),
        ("clip=false", "clip", False),
        ("capacity=1e2", "capacity", 100.0),
        ("iteration_seconds=0.5", "iteration_seconds", 0.5),
        ("partitions=8", "partitions", 8),
    ],
)
def test_values_are_json_or_lists_or_texts(option: str, field: str, value: object) -> None:
    for experiment in resolve("smoke", None, [option], []).experiments:
        assert getattr(experiment, field) == value


def test_a_setting_is_for_every_experiment_and_the_seed_for_the_run() -> None:
    config = resolve("smoke", None, ["replicates=7", "seed=3"], [])
    assert [e.replicates for e in config.experiments] == [7, 7]
    assert config.seed == 3


def test_of_two_settings_of_one_key_the_last_counts() -> None:
    assert resolve("smoke", None, ["seed=1", "seed=2"], []).seed == 2


@pytest.mark.parametrize("option", ["deltas", "=5", "", "  =  "])
def test_an_option_is_a_key_and_a_value(option: str) -> None:
    assert "KEY=VALUE" in refusal(option)


def test_an_unknown_key_is_refused_with_a_similar_one() -> None:
    message = "--set partition=8: unknown key 'partition' (did you mean partitions?)"
    assert refusal("partition=8") == message


def test_an_unknown_key_is_refused_with_those_of_the_runs_family(tmp_path: Path) -> None:
    for family, keys in KEYS.items():
        of_run = ("seed", "values", "timestamps", "import_path")
        start = f"unknown key; must be one of {', '.join((*of_run, *keys))}"
        preset = next(name for name, one in PRESETS.items() if one.family == family)
        with pytest.raises(InputError) as caught:
            resolve(preset, None, ["foo=x"], [])
        assert str(caught.value) == f"--set foo=x: {start}"
        for head in (f"preset: {preset}", f"family: {family}"):
            with pytest.raises(InputError) as caught:
                configured(tmp_path, f"{head}\nexperiments:\n  a:\n    foo: 1")
            assert str(caught.value).endswith(
                start.replace("seed, values, timestamps, import_path, ", "")
            )


def test_a_key_of_the_run_is_no_misspelled_one_of_an_experiment(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="'seed'"):
        configured(tmp_path, "preset: live\nexperiments:\n  a:\n    seed: 5")


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("partitions=0", "`partitions`"),
        ("iterations=0", "`iterations`"),
        ("deltas=5,101", "`deltas[1]`"),
        ("deltas=-1", "`deltas[0]`"),
        ("deltas=NaN", "`deltas[0]`"),
        ("deltas=[Infinity]", "`deltas[0]`"),
        ("deltas=1e999", "`deltas[0]`"),
        ("deltas=", "`deltas`"),
        ("deltas=5,", "`deltas[1]`"),
        ("capacity=0", "`capacity`"),
        ("capacity=200", "`consumer_capacity`"),
        ("algorithms=FOO", "'FOO'"),
        ("algorithms=kd_0", "kd_0"),
        ("algorithms=kd_17", "kd_17 "),
        ("seed=-1", "`seed`"),
        ("seed=" + "9" * 5000, "`seed`"),
        ("clip=null", "`clip`"),
        ("partitions=" + "[" * 100_000, "`partitions`"),
        ("initial_rates=25", "`initial_rates[0]`"),
    ],
)
def test_wrong_values_are_told_with_option_value_and_limit(option: str, words: str) -> None:
    message = refusal(option)
    assert message.startswith("--set ")
    assert words in message
    assert len(message) < 600
    assert "\n" not in message


def test_values_that_disagree_with_a_preset_name_the_experiment() -> None:
    message = refusal("algorithms=kd_12")
    assert message.startswith("--set algorithms=kd_12: ")
    assert message.endswith("(experiment 'latency')")


def test_a_preset_gives_up_kafka_assignments_that_do_not_fit() -> None:
    config = resolve("paper", None, ["partitions=8"], [])
    expected = registry.reference_set() + tuple(f"kd_{n}" for n in range(1, 9))
    assert named(config, "latency").algorithms == expected
    assert named(config, "tradeoff").algorithms == (*registry.reference_set(), "NF0", "NFD0")


def test_kafka_assignments_that_the_user_asks_for_must_fit() -> None:
    assert "kd_9" in refusal("partitions=8", "algorithms=kd_9", preset="paper")


def test_the_preset_must_be_known() -> None:
    assert "`preset` must be one of paper, nightly, frontier, smoke" in refusal(preset="big")


def test_a_file_wins_over_the_preset_and_options_win_over_the_file(tmp_path: Path) -> None:
    text = """
seed: 5
replicates: 4
deltas: [1, 2]
experiments:
  latency: {replicates: 6, capacity: 50}
"""
    config = configured(tmp_path, text, "smoke", "deltas=9")
    tradeoff, latency = named(config, "tradeoff"), named(config, "latency")
    assert (config.preset, config.seed) == ("smoke", 5)
    assert (tradeoff.replicates, latency.replicates) == (4, 6)
    assert (tradeoff.capacity, latency.capacity) == (100.0, 50.0)
    assert tradeoff.deltas == latency.deltas == (9.0,)
    assert (tradeoff.partitions, latency.partitions) == (16, 8)


def test_an_option_wins_over_a_files_setting_for_one_experiment(tmp_path: Path) -> None:
    text = "experiments: {latency: {replicates: 6}}"
    config = configured(tmp_path, text, "smoke", "replicates=2")
    assert named(config, "latency").replicates == 2


def test_a_file_may_add_an_experiment_to_a_preset(tmp_path: Path) -> None:
    config = configured(tmp_path, "experiments: {mine: {partitions: 5}}", "smoke")
    assert [e.name for e in config.experiments] == ["tradeoff", "latency", "mine"]


def test_a_file_alone_defines_the_run(tmp_path: Path) -> None:
    config = configured(tmp_path, "experiments:\n  mine: {partitions: 5}\n  plain:\n")
    assert config.preset == "custom"
    assert [(e.name, e.partitions) for e in config.experiments] == [("mine", 5), ("plain", 200)]


def test_a_file_may_name_its_preset(tmp_path: Path) -> None:
    config = configured(tmp_path, "preset: smoke\nexperiments: {latency: {replicates: 1}}")
    assert config.preset == "smoke"
    assert [(e.name, e.replicates) for e in config.experiments] == [("tradeoff", 2), ("latency", 1)]
    assert configured(tmp_path, "preset: nightly", "smoke").preset == "smoke"


def test_a_file_without_experiments_changes_the_default_preset(tmp_path: Path) -> None:
    config = configured(tmp_path, "replicates: 3")
    assert config.preset == "paper"
    assert [e.replicates for e in config.experiments] == [3, 3]


def test_a_file_may_be_json_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_bytes(b'\xef\xbb\xbf{"preset": "smoke", "deltas": [5], "seed": 1}')
    config = resolve(None, file, [], [])
    assert (config.seed, named(config, "tradeoff").deltas) == (1, (5.0,))


def test_same_requests_give_the_same_fingerprint(tmp_path: Path) -> None:
    by_file = configured(tmp_path, "deltas: [5]\nseed: 1", "smoke")
    by_options = resolve("smoke", None, ["seed=1", "deltas=5.0"], [])
    assert by_file == by_options
    assert by_file.fingerprint() == by_options.fingerprint()


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("\ndeltas: [5]\npartition: 8", 3, "unknown key 'partition'"),
        ("seed: 1\ndeltas: [101]", 2, "`deltas[0]`"),
        ("partitions: true", 1, "`partitions`"),
        ("seed: yes", 1, "`seed`"),
        ("deltas: [.nan]", 1, "`deltas[0]`"),
        ("capacity: .inf", 1, "`capacity`"),
        ("capacity: 2024-01-01", 1, "'2024-01-01'"),
        ("algorithms: [FOO]", 1, "'FOO'"),
        ("preset: big", 1, "paper, nightly, frontier, smoke"),
        ("preset: [smoke]", 1, "paper, nightly, frontier, smoke"),
        ("experiments: 5", 1, "`experiments`"),
        ("experiments: {}", 1, "`experiments`"),
        ("experiments:\n  a: 5", 2, "experiment 'a'"),
        ("experiments:\n  a:\n    seed: 5", 3, "'seed'"),
        ("experiments:\n  a:\n    partitions: 0", 3, "`partitions`"),
        ("experiments:\n  a b:\n    partitions: 4", 3, "`name`"),
        ("seed: 1\nseed: 2", 2, "duplicate key"),
        ("seed: 1\n5: 2", 2, "keys"),
        ("seed: [", 1, "YAML"),
        ("a: b: c", 1, "YAML"),
        ("seed: !!python/name:os.system x", 1, "YAML"),
        ("--- 1\n--- 2", 2, "YAML"),
    ],
)
def test_what_is_wrong_in_a_file_is_told_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    file = written(tmp_path, text)
    message = refusal(preset=None, file=file)
    assert message.startswith(f"{file}:{line}: ")
    assert words in message


@pytest.mark.parametrize("text", ["", "   \n", "# nothing", "- 5", "5", "null"])
def test_a_file_holds_a_mapping(tmp_path: Path, text: str) -> None:
    file = written(tmp_path, text)
    assert refusal(file=file).startswith(f"{file}: ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"deltas": [NaN]}', "NaN"),
        ('{"seed": 1, "seed": 2}', "key 'seed' occurs twice"),
        ('{"experiments": {"a": {"deltas": 5, "deltas": 5}}}', "key 'deltas' occurs twice"),
        ('{"seed": 1,}', ":1: "),
        ("[" * 100_000, "nested too deeply"),
        ('{"seed": ' + "9" * 5000 + "}", "digits"),
        ("[]", "mapping"),
    ],
)
def test_what_is_wrong_in_json_is_told(tmp_path: Path, text: str, words: str) -> None:
    file = written(tmp_path, text, "c.json")
    message = refusal(file=file)
    assert message.startswith(str(file))
    assert words in message
    assert len(message) < 600


@pytest.mark.slow
def test_deeply_nested_yaml_is_refused(tmp_path: Path) -> None:
    assert "nested too deeply" in refusal(file=written(tmp_path, "a: " + "[" * 5000))


def test_yaml_that_refers_to_itself_or_explodes_is_refused(tmp_path: Path) -> None:
    assert "YAML" in refusal(file=written(tmp_path, "deltas: &a [*a]\nseed: &b {c: *b}"))
    # Nine to the power of twelve items, were they ever written out.
    nested = [f"&x{i} [{','.join([f'*x{i - 1}'] * 9)}]" for i in range(1, 12)]
    bomb = f"deltas: [&x0 [5,5,5,5,5,5,5,5,5], {', '.join(nested)}]"
    message = refusal(file=written(tmp_path, bomb))
    assert "`deltas[0]`" in message
    assert len(refusal(file=written(tmp_path, bomb.replace("[&x0", "[5, &x0")))) < 600


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    assert "not found" in refusal(file=tmp_path / "none.yaml")
    assert "is a folder; name a file" in refusal(file=tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert "regular file" in refusal(file=pipe)
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"seed: 1\n# \xe9\n")
    assert f"{latin}:2: " in refusal(file=latin)
    large = tmp_path / "large.yaml"
    large.write_bytes(b"#" * 1_000_001)
    assert "1,000,001" in refusal(file=large)


def test_many_keys_of_which_the_last_is_there_twice(tmp_path: Path) -> None:
    keys = ", ".join(f'"k{number}": 1' for number in range(40_000))
    began = time.process_time()
    text = refusal(file=written(tmp_path, f'{{{keys}, "deltas": 1, "deltas": 2}}', "many.json"))
    assert "'deltas' occurs twice in one object" in text
    # Each key counted among all others took minutes.
    assert time.process_time() - began < 10
