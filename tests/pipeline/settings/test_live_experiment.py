"""Live experiments: what single fields allow, what must go together, and their presets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pydantic import ValidationError

from algorithms.simulation import broker_group
from algorithms.workloads.three_peaks import three_peaks
from live import live_settings, strategy_kinds
from live.protocol.loss_settings import MOST_CONSUMERS
from live.records import record_format
from pipeline.base.errors import InputError
from pipeline.experiments.live.running import live_streams
from pipeline.settings import live_strategies
from pipeline.settings.field_checks import FieldError
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.settings.load import resolve
from pipeline.settings.presets import PRESETS
from pipeline.settings.run_config import RunConfig, Unit

pytestmark = pytest.mark.unit

LIVE = [preset.name for preset in PRESETS.values() if preset.family == "live"]


def experiment(**changes: Any) -> LiveExperiment:
    return LiveExperiment.model_validate({"name": "e"} | changes)


def refusal(**changes: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        experiment(**changes)
    error = caught.value.errors()[0]["ctx"]["error"]
    assert isinstance(error, FieldError)
    assert error.fields
    assert "\n" not in str(error)
    return str(error)


def test_defaults_are_those_of_the_contract() -> None:
    live = experiment()
    assert (live.partitions, live.iterations, live.iteration_seconds) == (32, 60, 5.0)
    assert (live.capacity, live.consumer_rate, live.record_bytes) == (2e5, 2.4e5, 2000)
    assert (live.mode, live.speeds, live.nodes, live.lease_s) == ("prompt", "given", 1, 10.0)
    assert live.clip


@pytest.mark.parametrize(
    ("field", "least", "most"),
    [
        ("partitions", 1, 200),
        ("iterations", 2, 10_000),
        ("replicates", 1, 100),
        ("record_bytes", 256, 100_000),
        ("batch_bytes", 10_000, 50_000_000),
        ("lag_threshold", 1, 1_000_000),
    ],
)
@pytest.mark.parametrize("value", [0, -1, 10**9, 2.5, "8", True, None])
def test_counts_have_bounds(field: str, least: int, most: int, value: object) -> None:
    said = refusal(**{field: value})
    assert said.startswith(f"`{field}` must be an integer between {least:,} and {most:,} (got ")


@pytest.mark.parametrize(
    ("field", "low", "high"),
    [
        ("delta", -0.1, 100.1),
        ("capacity", 999.0, 4.1e7),
        ("consumer_rate", 999.0, 4.1e7),
        ("iteration_seconds", 0.49, 3601.0),
        ("wait_s", 0.04, 61.0),
        ("lease_s", 0.9, 61.0),
        ("window_s", 2.9, 601.0),
        ("period_s", 0.1, 61.0),
    ],
)
def test_numbers_have_bounds(field: str, low: float, high: float) -> None:
    for value in (low, high, float("nan"), float("inf"), "5", True, None):
        assert refusal(**{field: value}).startswith(f"`{field}` must be a number between ")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mode": "slow"}, "`mode` must be"),
        ({"speeds": "guessed"}, "`speeds` must be"),
        ({"order": "lifo"}, "`order` must be"),
        ({"spare": -1}, "`spare` must be"),
        ({"spare": 41}, "`spare` must be"),
        ({"spare": 1.0}, "`spare` must be"),
        ({"period_s": 15.1}, "`window_s` must be at least 2 × `period_s` (got 30 and 15.1 s)"),
        ({"window_s": 3, "period_s": 2}, "(got 3 and 2 s); measure more often"),
        ({"nodes": 2}, "`nodes` must be"),
        ({"nodes": True}, "`nodes` must be"),
        ({"clip": "yes"}, "`clip` must be true or false"),
        ({"strategies": []}, "`strategies` must have at least one value"),
        ({"strategies": ["MWF", "MWF"]}, "`strategies` contains 'MWF' twice"),
        ({"strategies": ["fastest"]}, "`strategies`: "),
        ({"strategies": ["kd_5"], "partitions": 4}, "choose kd_4 or lower"),
        ({"strategies": ["kafka_848_9"], "partitions": 8}, "must have at most 8 members"),
        ({"strategies": ["kafka_classic_41"], "partitions": 60}, "must have at most 40 members"),
        ({"strategies": ["kafka_other_3"]}, "`strategies`: "),
        (
            {"strategies": ["keda_http:headroom:look_s=1"]},
            "look_s must be at least 1.5 s with iterations of 5 s (got 1)",
        ),
        ({"strategies": ["keda_http:MWF"]}, "`strategies`: "),
        (
            {"bootstrap": "b1"},
            "`bootstrap` must be HOST:PORT, several separated by commas (got 'b1')",
        ),
        ({"bootstrap": 5}, "`bootstrap` must be HOST:PORT"),
        ({"client_file": 5}, "`client_file` must be the path of a file (got 5)"),
        ({"client_file": "c.properties"}, "`client_file` needs bootstrap; add bootstrap=HOST:PORT"),
        (
            {"delta": None},
            "`delta` must be a number between 0 and 100 % of the capacity (got null)",
        ),
        ({"scale": 2.0}, "`scale` applies to a recorded trace; add --trace FILE"),
        ({"capacity": 3e5}, "add consumer_rate=360000"),
        ({"consumer_rate": 1e5}, "`consumer_rate` must be at least `capacity`"),
        ({"record_bytes": 12_001}, "must not exceed 50 ms of `consumer_rate`, 12,000 bytes"),
        (
            {"death_iteration": 1},
            "`death_iteration` must be 0, for no death, or an iteration from 2",
        ),
        ({"iterations": 6, "death_iteration": 7}, "an iteration from 2 to 6 (got 7)"),
        ({"death_iteration": -1}, "`death_iteration` must be an integer between 0 and"),
        ({"iterations": 10_000}, "must be at most 86,400 s, a day (got 100,000 s)"),
    ],
)
def test_what_is_refused(changes: dict[str, Any], words: str) -> None:
    assert words in refusal(**changes)


def test_brokers_of_a_cluster() -> None:
    assert experiment().bootstrap == experiment().client_file == ""
    live = experiment(bootstrap=["b1:9092", " b2:9093"], client_file="c.properties")
    assert (live.bootstrap, live.client_file) == ("b1:9092,b2:9093", "c.properties")


def test_a_record_of_exactly_50_ms_is_allowed() -> None:
    assert experiment(record_bytes=12_000).record_bytes == 12_000
    assert experiment(capacity=240_000.0).capacity == 240_000.0


def test_ranges_of_strategies_are_written_out() -> None:
    assert experiment(strategies=["MWF", "kd_2..kd_4"]).strategies == (
        "MWF",
        "kd_2",
        "kd_3",
        "kd_4",
    )


def test_kafkas_own_groups_are_strategies_too() -> None:
    live = experiment(strategies=["keda", "MWF", "kafka_848_3", "kafka_classic_32"])
    assert live.strategies == ("MWF", "keda", "kafka_848_3", "kafka_classic_32")
    for name in live.strategies:
        is_own = not isinstance(strategy_kinds.parse(name, 32), strategy_kinds.Controlled)
        assert live_strategies.is_own_group(name) == is_own
    assert MOST_CONSUMERS == strategy_kinds.MOST_MEMBERS
    assert MOST_CONSUMERS == broker_group.MOST_REPLICAS


def test_strategies_of_autoscaling_are_strategies_too() -> None:
    strategies = [
        "keda",
        "headroom+placement",
        "MWF",
        "keda_hpa:polling_s=30:threshold=50",
        "MWF:f_up=1",
    ]
    live = experiment(strategies=strategies)
    scaled = ("headroom+placement", "keda_hpa:threshold=50:polling_s=30", "MWF:f_up=1")
    assert live.strategies == ("MWF", *scaled, "keda")
    assert [live_strategies.is_algorithm(name) for name in live.strategies] == [1, 0, 0, 0, 0]
    assert [live_strategies.is_own_group(name) for name in live.strategies] == [0, 0, 0, 0, 1]
    for name in scaled:
        assert strategy_kinds.parse(name, 32) == strategy_kinds.Scaled(name)
    config = resolve("live-smoke", None, ["strategies=headroom+placement,MWF:f_up=1"], [])
    assert config.live[0].strategies == ("headroom+placement", "MWF:f_up=1")
    assert RunConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize("form", strategy_kinds.ASKED)
def test_forms_for_keda_are_strategies_too(form: str) -> None:
    label = f"{form}:headroom:h=1.15:hold=30"
    live = experiment(strategies=[label, "MWF"])
    assert live.strategies == ("MWF", label)
    assert strategy_kinds.parse(label, 32) == strategy_kinds.DeployedGroup(form, label)


def test_kedas_prometheus_trigger_is_a_strategy_too() -> None:
    label = "keda_prometheus:h=1.15:hold=30"
    assert experiment(strategies=[label]).strategies == (label,)
    assert strategy_kinds.parse(label, 32) == strategy_kinds.DeployedGroup("keda_prometheus", label)


def test_a_form_that_no_live_run_plays_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(strategy_kinds, "ASKED", ("keda_http",))
    said = refusal(strategies=["keda_external:headroom"])
    assert "simulated only; choose headroom, or one of keda_http:headroom" in said


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("headrom", "unknown strategy 'headrom' (did you mean headroom?); choose an algorithm: "),
        ("headroom:k=2", "headroom:k=2: unknown parameter 'k'; must be an argument of headroom"),
        ("headroom:h=0", "headroom:h=0: h must be above 0"),
        ("headroom:mu=3", "headroom:mu=3: unknown parameter 'mu'"),
        ("headroom:h", "`strategies` must have the form NAME or NAME:PARAMETER=VALUE"),
        ("headroom:h=1:h=2", "each parameter once"),
        ("headroom:sweep", "each strategy takes a run on the broker"),
        ("keda_http:headroom:sweep", "each strategy takes a run on the broker"),
        ("linear:min_replicas=0", "min_replicas must be at least 1 on a broker"),
        ("linear:max_replicas=33", "max_replicas must be at most 32"),
        ("least_loaded_2:f_down=0.95", "least_loaded_2:f_down=0.95: "),
        ("optimal", "optimal is for simulated groups only"),
        (
            "keda_prometheus+placement",
            "is for simulated groups only; choose keda_prometheus, or headroom+placement",
        ),
        (
            "controller:headroom+placement",
            "scales a StatefulSet, which a live run does not have; choose headroom+placement",
        ),
        ("keda_prometheus:sweep", "each strategy takes a run on the broker"),
        ("keda_prometheus:scrape_s=1", "scrape_s must be at least 1.5 s with iterations of 5 s"),
        ("a/b", "`strategies` must have the form"),
    ],
)
def test_a_strategy_of_autoscaling_with_a_wrong_name_or_argument_is_refused(
    name: str, words: str
) -> None:
    assert words in refusal(strategies=["MWF", name])


def test_names_are_those_of_the_processes() -> None:
    assert (live_settings.LEAST_RECORD, live_settings.MOST_RECORD) == (
        record_format.MIN_BYTES,
        record_format.MAX_BYTES,
    )


CAPACITIES = {"live-paper": (2e6, 2.4e6)}
"""C and C̄ of presets that have others, bytes/s."""


@pytest.mark.parametrize("name", LIVE)
def test_presets(name: str) -> None:
    config = resolve(name, None, [], [])
    assert config.experiments == config.autoscaling == ()
    assert config.units() == [Unit(live.name, live.delta) for live in config.live]
    assert config.n_streams() == sum(live.replicates for live in config.live)
    assert config.n_scores == sum(live.runs for live in config.live)
    for live, size in zip(config.live, config.sizes, strict=True):
        capacity, rate = CAPACITIES.get(name, (200_000.0, 240_000.0))
        if name.startswith("group") or name == "bad-hour-live":
            capacity = rate = 200.0 * live.record_bytes
        assert live.consumer_rate == rate
        if name != "live-capacity":
            assert live.capacity == capacity
        assert size.partitions == live.partitions
    assert RunConfig.from_json(config.to_json()) == config


@pytest.mark.parametrize(
    ("name", "most_minutes"),
    [
        *(("group-smoke", 2), ("bad-hour-live", 5), ("group", 80)),
        *(("group-night", 14 * 60), ("group-night-2h", 12 * 60 + 1)),
    ],
)
def test_presets_of_groups_that_ask_take_no_longer_than_said(name: str, most_minutes: int) -> None:
    """Without starts and ends."""
    live = resolve(name, None, [], []).live
    seconds = sum(one.seconds for one in live)
    assert most_minutes / 3 <= seconds / 60 <= most_minutes
    assert {one.revoke_s for one in live} <= {0.05, 0.5, 2.0}
    assert {one.heartbeat_s for one in live} <= {0.3, 0.5, 3.0}


def test_the_presets_of_the_contract() -> None:
    smoke, live = (resolve(name, None, [], []).live[0] for name in ("live-smoke", "live"))
    assert (smoke.partitions, smoke.iterations, smoke.iteration_seconds) == (8, 6, 4.0)
    assert smoke.seconds < 60
    assert (live.partitions, live.iterations, live.iteration_seconds) == (32, 60, 5.0)
    assert len(live.strategies) == 5
    assert live.seconds <= 1500
    agreement = resolve("live-agreement", None, [], []).live[0]
    assert (agreement.replicates, agreement.partitions, agreement.iterations) == (3, 16, 12)


def test_settings_and_files_change_experiments(tmp_path: Path) -> None:
    file = tmp_path / "c.yaml"
    file.write_text("family: live\npartitions: 4\nexperiments: {a: {delta: 5}, b: {delta: 10}}\n")
    config = resolve(None, file, ["strategies=MWF", "iterations=3"], [])
    assert [(e.name, e.partitions, e.delta) for e in config.live] == [("a", 4, 5.0), ("b", 4, 10.0)]
    assert config.preset == "custom"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (["deltas=5"], "`deltas` does not apply to experiments on live"),
        (["capacity=500000"], "--set capacity=500000: `consumer_rate` must be at least `capacity`"),
    ],
)
def test_an_error_names_its_setting(settings: list[str], words: str) -> None:
    with pytest.raises(InputError) as caught:
        resolve("live-smoke", None, settings, [])
    assert words in str(caught.value)


def test_folders_of_login_files_are_private() -> None:
    settings = ["bootstrap=b:1", 'client_file="/home/me/client.properties"', "strategies=kd_2"]
    config = resolve("live-smoke", None, settings, [])
    assert "/home/me/client.properties" in config.to_json()
    assert "/home/me" not in config.to_json(private=False)
    assert "client.properties" in config.to_json(private=False)


def test_other_configurations_keep_their_fingerprints() -> None:
    assert '"live"' not in resolve("smoke", None, [], []).to_json()
    assert '"live"' in resolve("live-smoke", None, [], []).to_json()


def test_the_log_of_a_lone_consumer_is_never_empty() -> None:
    config = resolve("live-capacity", None, [], [])
    written = []
    for one in config.live:
        ((_, rates),) = live_streams.with_rates(one, config)
        assert one.strategies == ("kd_1",)
        assert (rates.sum(axis=1) > 1.3 * one.consumer_rate).all()
        written.append(rates.sum() * one.iteration_seconds / 1e6)
    assert written == pytest.approx([64.8, 10.0, 67.8], rel=0.2)


PROFILE = ("profile=three_peaks", "delta=null", "strategies=kd_2")


def test_a_profile_has_so_many_times_the_capacity() -> None:
    sizes = ("capacity=100000", "consumer_rate=100000", "iterations=60", "partitions=9")
    config = resolve("live-smoke", None, [*PROFILE, *sizes, "split=skew", "replicates=2"], [])
    one, other = live_streams.with_rates(config.live[0], config)
    assert one[0].stream_id == "smoke-r0001"
    assert one[0].seed != other[0].seed
    assert np.array_equal(one[1], other[1])
    total = three_peaks(60, 175_000.0)
    assert one[1].sum(axis=1) == pytest.approx(total)
    assert one[1][:, 0] == pytest.approx(total / 4)


def test_profiles_of_autoscaling_are_played_too() -> None:
    config = resolve("live-smoke", None, ["profile=steps", *PROFILE[1:], "replicates=2"], [])
    (_, first), (_, second) = live_streams.with_rates(config.live[0], config)
    assert first.shape == (6, 8)
    assert not np.array_equal(first, second)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"profile": "three_peaks"},
            "`delta` does not apply to a profile (got 25); add delta=null",
        ),
        (
            {"profile": "square", "delta": None},
            "`profile` must be one of three_peaks, taxi_days, steady",
        ),
        ({"split": "skew"}, "`split` applies to a profile or a file of one total rate; remove it"),
        ({"arrivals": "burst"}, "`arrivals` must be one of even, bursts, drift (got 'burst')"),
        (
            {"keys": "hashed"},
            "`keys` applies to bursts (got hashed and arrivals even); add arrivals=bursts or "
            "arrivals=drift",
        ),
        ({"keys": "random"}, "`keys` must be one of exact, hashed (got 'random')"),
        ({"phase_s": 1.0}, "`phase_s` must be a number between 0 and 0.999 s (got 1.0)"),
    ],
)
def test_sources_have_no_settings_of_each_other(changes: dict[str, Any], words: str) -> None:
    assert words in refusal(**changes)
