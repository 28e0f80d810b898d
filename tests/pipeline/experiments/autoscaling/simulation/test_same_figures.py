"""One recording, one group: `simulate`, `recommend` and `run` give the same figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from pipeline.cli.exits import MISSED
from pipeline.experiments.autoscaling.kernels import simulation_kernel
from pipeline.experiments.autoscaling.stages import scaling_plans, workload_streams
from pipeline.experiments.streams import stream
from pipeline.settings.load import resolve
from tests.pipeline.cli.command import Home, call, sets, trace

pytestmark = [pytest.mark.unit, pytest.mark.slow]

STRATEGIES = ("constant:initial_replicas=3", "keda_hpa:threshold=100")
GROUP = {
    "startup_s": 10,
    "heartbeat_s": 3,
    "rebalance_s": 0.1,
    "protocol": "eager",
    "assignor": "range",
    "initial_replicas": 2,
    "seed": 7,
}
MU, WSLA_S = 120, 2.0
Figures = dict[str, dict[str, float]]
FIGURES = ("on_time_percent", "p99_s", "replicas", "moves_per_hour")


THREE = ("clicks", "orders", "views")


def rows(topics: tuple[str, ...] = THREE) -> list[str]:
    """Topics of four partitions, 20 minutes in steps of a minute; one partition is missing."""
    return [
        f"2026-03-02T08:{k:02}:00Z,{topic},{p},{20 + 8 * ((k * (p + 1) + t) % 5)}"
        for k in range(20)
        for t, topic in enumerate(topics)
        for p in (0, 1, 3)
    ]


def text(lines: list[str]) -> str:
    return "\n".join(["timestamp,topic,partition,rate", *lines, ""])


def options() -> list[str]:
    return [part for one in STRATEGIES for part in ("--strategy", one)]


def simulated(file: Path) -> Figures:
    settings = [f"{key}={value}" for key, value in {**GROUP, "mu": MU, "wsla_s": WSLA_S}.items()]
    done = call("simulate", file, *options(), *sets(*settings), "--json")
    assert done.exit_code == 0, done.output
    return {
        _label(each["strategy"], each["parameters"]): _figures(each)
        for each in json.loads(done.stdout)["strategies"]
    }


def _label(strategy: str, parameters: dict[str, Any]) -> str:
    return ":".join([strategy, *(f"{name}={value}" for name, value in parameters.items())])


def _figures(record: dict[str, Any]) -> dict[str, float]:
    hours = 20 / 60
    return {
        "on_time_percent": record["sla_percent"],
        "p99_s": float(record["p99"]),
        "replicas": record["replica_minutes"] / 60 / hours,
        "moves_per_hour": record["partitions_moved"] / hours,
    }


def recommended(file: Path) -> Figures:
    """With the bound of the others: its own is the partitions of the largest topic."""
    most = 4 * len({line.split(",")[1] for line in file.read_text().splitlines()[1:]})
    settings = [f"{key}={value}" for key, value in {**GROUP, "max_replicas": most}.items()]
    done = call(
        "recommend", file, *options(), *sets(*settings), "--mu", str(MU), "--slo", f"90%@{WSLA_S}s",
        "--within-step", "0", "--json",
    )  # fmt: skip
    assert done.exit_code in (0, MISSED), done.output
    figures = {}
    for each in json.loads(done.stdout)["candidates"]:
        values = each | {"on_time_percent": each["on_time_percent"]["value"]}
        figures[each["label"]] = {name: float(values[name]) for name in FIGURES}
    return figures


def run(file: Path) -> Figures:
    """What the stages of a run write, without Spark."""
    settings = {**GROUP, "mu": MU, "wsla_s": WSLA_S, "strategies": json.dumps(STRATEGIES)}
    config = resolve(
        "autoscaling", None, [f"{key}={value}" for key, value in settings.items()], [file]
    )
    (experiment,) = config.autoscaling
    (one,) = workload_streams.streams(config, config.recorded)
    assert one.rates is not None
    batch = stream.measurements(one.made_of, one.rates)
    n = len(one.rates)
    for name, kind in (("replicate", pa.int32()), ("seed", pa.int64())):
        batch = batch.append_column(name, pa.array([getattr(one, name)] * n, kind))
    sizes = pa.array([one.topic_sizes] * n, pa.list_(pa.int32()))
    batch = batch.append_column("topic_sizes", sizes)
    kernel = simulation_kernel.simulate({experiment.name: scaling_plans.plan_of(experiment)})
    (written,) = kernel([batch])
    assert len(written["trajectories_lag"][0]) == one.n_iterations == 20
    return {f"{each['strategy']}:{each['setting']}": _figures(each) for each in written.to_pylist()}


@pytest.mark.parametrize("topics", [("orders",), THREE], ids=["one", "three"])
def test_commands_give_the_same_figures(home: Home, topics: tuple[str, ...]) -> None:
    file = trace(home, text(rows(topics)))
    first = simulated(file)
    assert set(first) == set(STRATEGIES)
    assert first["keda_hpa:threshold=100"]["moves_per_hour"] > 0
    for other in (recommended, run):
        others = other(file)
        assert set(others) == set(first)
        for label, figures in first.items():
            assert others[label] == pytest.approx(figures, rel=1e-9), label


def test_topics_count_in_every_command(home: Home) -> None:
    """As one topic, the same partitions are spread over all consumers."""
    lines = rows()
    apart = simulated(trace(home, text(lines)))
    one = [line.replace(f",{t},", ",t,").replace(f",t,{p},", f",t,{4 * k + p},")
           for line in lines for k, t in enumerate(THREE) if f",{t}," in line
           for p in (int(line.split(",")[2]),)]  # fmt: skip
    joined = simulated(trace(home, text(one), "one.csv"))
    constant = STRATEGIES[0]
    assert apart[constant]["replicas"] == joined[constant]["replicas"]
    assert apart[constant]["on_time_percent"] != joined[constant]["on_time_percent"]


def test_no_order_of_a_file_changes_a_figure(home: Home) -> None:
    lines = rows()
    first = simulated(trace(home, text(lines)))
    draw = np.random.default_rng(3)
    assert simulated(trace(home, text(list(draw.permutation(lines))))) == first
    assert simulated(trace(home, text(lines[::-1]))) == first
    wide = _wide(lines, draw)
    assert simulated(trace(home, wide)) == first


def _wide(lines: list[str], draw: np.random.Generator) -> str:
    """The same rates with a column per partition, in any order."""
    cells = {}
    for line in lines:
        at, topic, partition, rate = line.split(",")
        cells[at, f"{topic}/{partition}"] = rate
    times = sorted({at for at, _ in cells})
    names = draw.permutation(sorted({name for _, name in cells})).tolist()
    body = [",".join([at, *(cells[at, name] for name in names)]) for at in times]
    return "\n".join([",".join(["timestamp", *names]), *body])
