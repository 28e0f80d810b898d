"""``groupscale import -o``: files that people have, converted to a trace."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import InputError
from pipeline.inputs import traces
from pipeline.inputs.traces import trace_writer
from pipeline.settings.load import resolve
from tests.pipeline.cli.command import Home, call, trace

pytestmark = pytest.mark.unit

BEGIN = 1_714_564_800
METRIC = "kafka_topic_partition_current_offset"


def dump(home: Home, *counts: list[int]) -> Path:
    result = [
        {
            "metric": {"__name__": METRIC, "topic": "orders", "partition": str(j)},
            "values": [[BEGIN + 60 * k, str(count)] for k, count in enumerate(own)],
        }
        for j, own in enumerate(counts)
    ]
    data = {"resultType": "matrix", "result": result}
    return trace(home, json.dumps({"status": "success", "data": data}), "dump.json")


def test_a_dump_becomes_a_trace(home: Home) -> None:
    file = dump(home, [0, 60, 180], [0, 600, 660])
    out = file.with_name("trace.csv")
    done = call("import", file, "-o", out, "--message-size", "1kB", "--capacity", "12kB/s")
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == (
        f"Recognized dump.json as Prometheus query_range JSON of {METRIC}, offsets turned into "
        "rates, bytes/s"
    )
    assert lines[1] == f"Written to {out}"
    assert lines[-3].startswith(f"  groupscale run --trace {out} --set capacity=12000 ")
    assert out.read_text() == (
        "timestamp,partition,rate\n"
        "2024-05-01T12:00:00Z,orders/0,1000.0\n"
        "2024-05-01T12:00:00Z,orders/1,10000.0\n"
        "2024-05-01T12:01:00Z,orders/0,2000.0\n"
        "2024-05-01T12:01:00Z,orders/1,1000.0\n"
    )
    assert [path.name for path in file.parent.iterdir() if path.name[0] == "."] == []


def test_a_run_and_a_simulation_read_both(home: Home) -> None:
    file = dump(home, [0, 60, 180], [0, 600, 660])
    out = file.with_name("trace.csv")
    assert call("import", file, "-o", out).exit_code == 0
    settings = ["capacity=20", "consumer_capacity=30"]
    direct, converted = (resolve(None, None, settings, [path]) for path in (file, out))
    assert direct.traces[0].digest == converted.traces[0].digest
    assert direct.traces[0].form.startswith("Prometheus query_range JSON")
    assert converted.traces[0].form == ""
    done = call("simulate", file, "--set", "mu=20", "--strategy", "constant")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--message-size", "5"], "add --output FILE"),
        (["--values", "counts", "-o", "{out}"], "--values must be rates or offsets"),
        (["--message-size", "2Mb", "-o", "{out}"], "--message-size must be a number with an"),
        (["--message-size", "0", "-o", "{out}"], "must be above 0"),
        (["--capacity", "2 bits"], "--capacity must be a number with an optional unit"),
        (["--capacity", "1", "--consumer-capacity", "0.5", "-o", "{out}"], "consumer_capacity"),
        (["-o", "{out}/none/x.csv"], "does not exist"),
        (["-o", "{out}", "--capacity", "-1"], "capacity"),
    ],
)
def test_nothing_is_written_on_an_error(home: Home, options: list[str], words: str) -> None:
    file = dump(home, [0, 60, 180])
    out = file.with_name("trace.csv")
    done = call("import", file, *(option.replace("{out}", str(out)) for option in options))
    assert (done.exit_code, done.stdout) == (2, "")
    assert words in done.stderr
    assert [path.name for path in file.parent.iterdir() if "trace" in path.name] == []


def test_what_is_said_of_a_file_is_in_the_commands_too(home: Home) -> None:
    done = call("import", dump(home, [0, 60, 180]), "--values", "offsets", "--capacity", "12")
    assert done.exit_code == 0, done.output
    commands = [line for line in done.output.splitlines() if line.startswith("  groupscale")]
    assert len(commands) == 2
    assert all("--values offsets" in command for command in commands)


def test_a_file_is_replaced_only_if_asked(home: Home) -> None:
    file = dump(home, [0, 60, 180])
    out = trace(home, "mine", "trace.csv")
    done = call("import", file, "-o", out)
    assert done.exit_code == 2
    assert "exists" in done.stderr
    assert out.read_text() == "mine"
    assert call("import", file, "-o", out, "--force").exit_code == 0
    assert out.read_text().startswith("timestamp,")


def test_sizes_with_units_are_settings_too(home: Home) -> None:
    (experiment,) = resolve(
        None, None, ["capacity=2MB", "consumer_capacity=2.5MB/s"], []
    ).experiments[:1]
    assert (experiment.capacity, experiment.consumer_capacity) == (2e6, 2.5e6)
    with pytest.raises(InputError, match="`capacity`"):
        resolve(None, None, ["capacity=2Mb"], [])


def test_a_hot_partition_is_named(home: Home) -> None:
    """It has 10 messages/s at its peak, of which a consumer reads 4."""
    file = dump(home, [0, 60, 180], [0, 30, 630])
    done = call("import", file, "--capacity", "2", "--consumer-capacity", "4", "--json")
    (note,) = [n for n in json.loads(done.stdout)["notes"] if "Hot" in n]
    assert "orders/1, up to 2.5 × consumer_capacity at 2024-05-01T12:01:00Z" in note
    assert "split it" in note
    assert "Without hot partitions the peak load is 2, at least 1 consumers" in note
    done = call("import", file, "--capacity", "2", "--consumer-capacity", "10", "--json")
    assert "Hot" not in done.stdout


RATES = st.one_of(st.none(), st.floats(0.0, 1e12, width=64))
TABLES = st.integers(1, 4).flatmap(
    lambda p: st.lists(st.lists(RATES, min_size=p, max_size=p), min_size=1, max_size=6)
).filter(lambda rows: any(rate is not None for row in rows for rate in row))  # fmt: skip


@given(TABLES, st.sampled_from(["timestamp", "iteration", "iso"]))
def test_a_written_trace_is_read_again(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[float | None]], kind: str
) -> None:
    """Bit for bit; only partitions that never exist are lost."""
    folder = tmp_path_factory.mktemp("t")
    times = [
        f"2024-05-01T12:00:0{k}.25Z" if kind == "iso" else str(3 * k) for k in range(len(rows))
    ]
    cells = [",".join("" if rate is None else repr(rate) for rate in row) for row in rows]
    names = ",".join(f'"p,{j}"' for j in range(len(rows[0])))
    (folder / "a.csv").write_text(
        f"{'timestamp' if kind == 'iso' else kind},{names}\n"
        + "".join(f"{time},{row}\n" for time, row in zip(times, cells, strict=True))
    )
    said = ('Prometheus says: "a", b', "c")
    before = dataclasses.replace(traces.load(folder / "a.csv"), warnings=said)
    with (folder / "b.csv").open("w", newline="") as out:
        trace_writer.write(before, out)
    after = traces.load(folder / "b.csv")
    assert after.warnings == ("Prometheus says: 'a', b", "c")
    assert before.times is not None
    assert after.times is not None
    assert after.times.at.tolist() == before.times.at.tolist()
    own = {name: before.rates[:, j] for j, name in enumerate(before.partitions)}
    for j, name in enumerate(after.partitions):
        assert np.array_equal(after.rates[:, j], own.pop(name), equal_nan=True)
    assert all(np.isnan(rates).all() for rates in own.values())
