"""The configuration: what single fields allow, and what must go together."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from algorithms.assignment import registry
from pipeline.base import limits
from pipeline.settings.assignment_experiment import BOUND_FIELDS, TRACE, Experiment
from pipeline.settings.learning_experiment import LearningExperiment
from pipeline.settings.run_config import RunConfig, Unit
from pipeline.settings.trace_source import TraceSource

pytestmark = pytest.mark.unit


PINNED = "773f28f9c04646d93df0d8be73c98129ab5c45bf62475d82f41d8e727f7850b6"


def experiment(**changes: Any) -> Experiment:
    return Experiment.model_validate({"name": "e", "algorithms": ["MWF"]} | changes)


def refusal(**changes: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        experiment(**changes)
    return str(caught.value.errors()[0]["msg"])


def source(number: int = 1, partitions: int = 4, iterations: int = 3) -> TraceSource:
    return TraceSource(
        path=Path(f"/somewhere/private/t{number}.csv"),
        stream_id=f"trace-t{number}",
        digest=f"{number:064d}",
        partitions=partitions,
        iterations=iterations,
    )


def traced(*sources: TraceSource, **changes: Any) -> RunConfig:
    shape = {
        "name": TRACE,
        "partitions": max(s.partitions for s in sources),
        "iterations": max(s.iterations for s in sources),
        "replicates": len(sources),
        "deltas": [],
        "initial_rates": [],
    }
    whole = experiment(**(shape | changes))
    return RunConfig(preset="trace", experiments=(whole,), traces=sources)


def test_defaults_are_the_papers() -> None:
    paper = Experiment(name="e")
    assert (paper.partitions, paper.iterations, paper.deltas) == (200, 500, (0, 5, 10, 15, 20, 25))
    assert (paper.capacity, paper.consumer_capacity, paper.clip) == (100.0, 133.0, True)
    assert (paper.iteration_seconds, paper.rebalance_seconds) == (30.0, 5.0)
    assert paper.initial_rates == ("uniform",)
    assert paper.algorithms == registry.reference_set()


@pytest.mark.parametrize("field", ["partitions", "iterations", "replicates"])
@pytest.mark.parametrize("value", [0, -1, 1.0, "8", True, None, 10**7, [3]])
def test_counts_are_integers_within_bounds(field: str, value: object) -> None:
    assert f"`{field}` must be an integer between 1 and " in refusal(**{field: value})


@pytest.mark.parametrize(
    ("field", "most"),
    [
        ("partitions", limits.MAX_PARTITIONS),
        ("iterations", limits.MAX_ITERATIONS),
        ("replicates", limits.MAX_REPLICATES),
    ],
)
def test_counts_may_reach_their_bounds(field: str, most: int) -> None:
    small = {"partitions": 1, "iterations": 1, "replicates": 1, "deltas": 5}
    assert getattr(experiment(**(small | {field: most})), field) == most
    assert f" {most:,} " in refusal(**(small | {field: most + 1}))


@pytest.mark.parametrize("value", [-0.1, 100.1, math.nan, math.inf, True, "x", None, 10**400])
def test_deltas_are_percentages(value: object) -> None:
    assert "`deltas[1]`" in refusal(deltas=[5, value])


def test_deltas_may_reach_their_bounds() -> None:
    assert experiment(deltas=[0, 100]).deltas == (0.0, 100.0)
    assert experiment(deltas=2.5).deltas == (2.5,)


def test_negative_zero_is_zero() -> None:
    """It would be another name of the same streams."""
    assert math.copysign(1.0, experiment(deltas=-0.0).deltas[0]) == 1.0


@pytest.mark.parametrize("value", [[5, 5], [5, 5.0], [1.0000001, 1.0000002]])
def test_deltas_that_streams_would_be_named_alike_for_are_refused(value: object) -> None:
    assert "twice" in refusal(deltas=value)


@pytest.mark.parametrize("field", ["deltas", "initial_rates", "algorithms"])
@pytest.mark.parametrize("value", [[], ""])
def test_lists_have_at_least_one_value(field: str, value: object) -> None:
    assert f"`{field}`" in refusal(**{field: value})


@pytest.mark.parametrize("value", ["uniform", 0, 50.0, "100", ["uniform", 0, "50", 100]])
def test_start_conditions_are_kept_as_texts(value: object) -> None:
    values = value if isinstance(value, list) else [value]
    expected = tuple(item if isinstance(item, str) else f"{item:g}" for item in values)
    assert experiment(initial_rates=value).initial_rates == expected


@pytest.mark.parametrize("value", [25, "Uniform", -1, True, None, math.nan, [[0]], "0.0"])
def test_other_start_conditions_are_refused(value: object) -> None:
    assert "`initial_rates[0]`" in refusal(initial_rates=value)


def test_a_start_condition_occurs_once() -> None:
    assert "'50' twice" in refusal(initial_rates=[50, "50"])


@pytest.mark.parametrize("field", ["capacity", "consumer_capacity"])
@pytest.mark.parametrize("value", [0, -1, math.inf, math.nan, True, "100 apples", None, 1e300])
def test_capacities_are_positive_numbers(field: str, value: object) -> None:
    assert f"`{field}`" in refusal(**{field: value})


def test_capacity_is_at_most_the_consumption_capacity() -> None:
    assert experiment(capacity=133).capacity == 133.0
    message = refusal(capacity=200)
    assert "`capacity`" in message
    assert "consumer_capacity=266" in message


@pytest.mark.parametrize("value", [0, -1, math.nan, "30", True])
def test_an_iteration_has_a_length(value: object) -> None:
    assert "`iteration_seconds`" in refusal(iteration_seconds=value)


def test_a_rebalance_may_take_no_time() -> None:
    assert experiment(rebalance_seconds=0).rebalance_seconds == 0.0
    assert "`rebalance_seconds`" in refusal(rebalance_seconds=-1)


@pytest.mark.parametrize("value", [0, 1, "true", None])
def test_clip_is_a_truth_value(value: object) -> None:
    assert "`clip`" in refusal(clip=value)


@pytest.mark.parametrize("value", ["", "a b", "a/b", "../a", "1a", "ä", "a" * 41, 5, None])
def test_names_of_experiments_fit_ids_and_folders(value: object) -> None:
    assert "`name`" in refusal(name=value)


def test_algorithms_may_be_ranges_and_the_reference_set() -> None:
    algorithms = experiment(partitions=8, algorithms=["kd_2..kd_4", "reference", "kd_8"]).algorithms
    assert algorithms == ("kd_2", "kd_3", "kd_4", *registry.reference_set(), "kd_8")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("XYZ", "'XYZ'"),
        ("mwf", "'mwf'"),
        ("kd_0", "kd_0"),
        ("kd_01", "'kd_01'"),
        ("kd_9", "8 partitions"),
        (["MWF", "MWF"], "'MWF' twice"),
        (["MWF", "reference"], "MWF twice"),
        (["kd_1..kd_3", "kd_2"], "'kd_2' twice"),
        ("kd_3..kd_1", "'kd_3..kd_1'"),
        ("kd_1..8", "'kd_1..8'"),
        ("MWF..BFD", "'MWF..BFD'"),
        ("kd_1..kd_999999999", "1,000"),
        ([5], "`algorithms[0]`"),
        ([None], "`algorithms[0]`"),
    ],
)
def test_wrong_algorithms_are_refused(value: object, words: str) -> None:
    assert words in refusal(partitions=8, algorithms=value)


def test_unknown_fields_are_refused() -> None:
    with pytest.raises(ValidationError, match="extra"):
        experiment(partition=8)


def test_streams_that_no_task_could_hold_are_refused() -> None:
    message = refusal(partitions=10**6, iterations=26)
    assert "25,000,000 rates" in message
    assert "26,000,000" in message
    message = refusal(partitions=10**6, iterations=25, algorithms="kd_1..kd_21")
    assert "500,000,000 consumer ids" in message
    assert "525,000,000" in message
    assert experiment(partitions=10**6, iterations=25, algorithms="kd_1..kd_20").size.ids == 5e8


def test_more_latency_samples_than_can_be_counted_are_refused() -> None:
    large = {"capacity": 1e14, "consumer_capacity": 1e14}
    assert "latency samples" in refusal(**large)
    assert experiment(**large, partitions=1, iterations=1).capacity == 1e14


def test_speeds_that_grow_without_a_ceiling_count_as_such() -> None:
    """Without clipping, speeds can reach many times the capacity."""
    large = {"capacity": 1e9, "consumer_capacity": 1e9}
    assert experiment(**large).capacity == 1e9
    assert "latency samples" in refusal(**large, clip=False)


def test_the_number_of_streams() -> None:
    one = experiment(deltas=[0, 5, 25], initial_rates=["uniform", 50], replicates=7)
    two = experiment(name="f", deltas=[5], replicates=2)
    config = RunConfig(preset="custom", experiments=(one, two))
    assert config.n_streams() == 3 * 2 * 7 + 2
    assert config.n_streams([Unit("e", 5.0), Unit("f", 5.0)]) == 2 * 7 + 2
    assert config.n_streams([]) == 0


def test_its_work_is_counted_in_streams_or_agents() -> None:
    assert traced(source()).amount == "1 stream"
    agents = LearningExperiment(name="a", agents=("dqn",), seeds=600)
    run = RunConfig(preset="p", learning=(agents,))
    assert run.amount == f"{600 * len(agents.rewards):,} agents"


def test_units_are_experiments_by_delta() -> None:
    config = RunConfig(
        preset="custom", experiments=(experiment(deltas=[0, 2.5]), experiment(name="f", deltas=5))
    )
    assert config.units() == [Unit("e", 0.0), Unit("e", 2.5), Unit("f", 5.0)]
    labels = [unit.label for unit in config.units()]
    assert labels == ["e δ=0", "e δ=2.5", "f δ=5"]


def test_traces_are_one_unit_without_delta() -> None:
    config = traced(source(1), source(2))
    assert config.units() == [Unit(TRACE, None)]
    assert config.units()[0].label == TRACE
    assert config.n_streams() == 2


def test_experiments_have_different_names() -> None:
    with pytest.raises(ValidationError, match=r"`experiments`.*'e', 'e'"):
        RunConfig(preset="custom", experiments=(experiment(), experiment()))


def test_a_run_has_experiments() -> None:
    with pytest.raises(ValidationError, match="experiments"):
        RunConfig(preset="custom", experiments=())


def test_traces_and_their_experiment_go_together() -> None:
    with pytest.raises(ValidationError, match="'trace'"):
        RunConfig(preset="custom", experiments=(experiment(),), traces=(source(),))
    with pytest.raises(ValidationError, match="'trace'"):
        RunConfig(preset="custom", experiments=traced(source()).experiments)


def test_the_smallest_trace_limits_kafkas_assignments() -> None:
    with pytest.raises(ValidationError, match=r"kd_3.*2 partitions of t2.csv"):
        traced(source(1, 4), source(2, 2), algorithms=["kd_3"])


def test_a_run_has_a_bounded_number_of_streams() -> None:
    many = experiment(replicates=100_000, deltas=list(range(11)), partitions=1, iterations=1)
    with pytest.raises(ValidationError, match="1,100,000"):
        RunConfig(preset="custom", experiments=(many,))


def test_a_run_has_a_bounded_number_of_consumer_ids() -> None:
    many = experiment(replicates=100_000, deltas=[1], partitions=25, iterations=10**6)
    with pytest.raises(ValidationError, match="2,500,000,000,000"):
        RunConfig(preset="custom", experiments=(many,))


@pytest.mark.parametrize("seed", [-1, 2**63, 1.5, True, "7", None])
def test_seeds_have_63_bits(seed: object) -> None:
    with pytest.raises(ValidationError, match="`seed`"):
        RunConfig.model_validate({"preset": "custom", "experiments": [{"name": "e"}], "seed": seed})


def test_configurations_do_not_change() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        experiment().partitions = 3  # type: ignore[misc]


@pytest.mark.parametrize("traces", [False, True])
def test_json_and_back(traces: bool) -> None:
    config = traced(source()) if traces else RunConfig(preset="p", experiments=(experiment(),))
    assert RunConfig.from_json(config.to_json()) == config
    assert RunConfig.from_json(config.to_json()).to_json() == config.to_json()


def test_what_others_read_has_no_folders() -> None:
    """Tables and reports must not reveal the folder of a file."""
    config = traced(source())
    assert "/somewhere/private" in config.to_json()
    public = config.to_json(private=False)
    assert "private" not in public
    assert json.loads(public)["traces"][0]["path"] == "t1.csv"


def test_the_fingerprint_recognises_equal_configurations() -> None:
    config = RunConfig(preset="p", seed=1, experiments=(experiment(),))
    same = RunConfig(preset="q", seed=1, experiments=(experiment(algorithms=("MWF",)),))
    assert config.fingerprint() == same.fingerprint()
    assert len(config.fingerprint()) == 64
    for other in (
        RunConfig(preset="p", seed=2, experiments=(experiment(),)),
        RunConfig(preset="p", seed=1, experiments=(experiment(replicates=11),)),
        RunConfig(preset="p", seed=1, experiments=(experiment(algorithms=["BFD"]),)),
    ):
        assert config.fingerprint() != other.fingerprint()


def test_the_fingerprint_of_a_trace_is_that_of_its_content() -> None:
    moved = source().model_copy(update={"path": Path("/elsewhere/t1.csv")})
    other = source().model_copy(update={"digest": "f" * 64})
    assert traced(source()).fingerprint() == traced(moved).fingerprint()
    assert traced(source()).fingerprint() != traced(other).fingerprint()


def test_bounds_are_of_algorithms_that_run() -> None:
    assert experiment().bound_algorithms == ("MWF",)
    assert experiment(algorithms=["NF"]).bound_algorithms == ()
    assert Experiment(name="e").bound_algorithms == ("BFD", "MBF", "MWF")
    assert experiment(bound_algorithms=[]).bound_algorithms == ()
    every = experiment(algorithms=["reference", "kd_2"], bound_algorithms="reference")
    assert every.bound_algorithms == registry.reference_set()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"bound_seconds": 0}, "`bound_seconds`"),
        ({"bound_seconds": -1.5}, "`bound_seconds`"),
        ({"bound_seconds": math.nan}, "`bound_seconds`"),
        ({"bound_iterations": -1}, "`bound_iterations`"),
        ({"bound_iterations": 2.5}, "`bound_iterations`"),
        (
            {"bound_algorithms": "BFD"},
            "'BFD'",
        ),
        ({"bound_algorithms": "best"}, "'best'"),
        ({"bound_algorithms": [3]}, "`bound_algorithms[0]`"),
        (
            {"algorithms": ["MWF", "kd_2"], "bound_algorithms": "kd_2"},
            "`bound_algorithms` must not contain kd_2",
        ),
    ],
)
def test_bounds_that_cannot_be_are_refused(changes: dict[str, Any], said: str) -> None:
    assert said in refusal(**changes)


def test_settings_of_bounds_count_where_there_are_bounds() -> None:
    """A run of before there were any has none of these settings, and stays a baseline."""
    none = RunConfig(preset="p", experiments=(experiment(),))
    slower = RunConfig(preset="p", experiments=(experiment(bound_seconds=9),))
    assert not none.has_bounds
    assert none.fingerprint() == slower.fingerprint()
    content = json.loads(none.to_json())
    for setting in content["experiments"]:
        for name in BOUND_FIELDS:
            del setting[name]
    assert RunConfig.from_json(json.dumps(content)).fingerprint() == none.fingerprint()
    some = RunConfig(preset="p", experiments=(experiment(bound_iterations=2),))
    more = RunConfig(preset="p", experiments=(experiment(bound_iterations=2, bound_seconds=9),))
    assert some.has_bounds
    assert len({c.fingerprint() for c in (none, some, more)}) == 3


def test_the_fingerprint_is_that_of_older_versions() -> None:
    """Pinned: another one would take every warehouse its baselines."""
    config = RunConfig(preset="p", seed=1, experiments=(experiment(),))
    assert config.fingerprint() == PINNED
