"""Wrong inputs and calls for help, each with a name; `messages` has what the command prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from pipeline.cli.commands import GROUPS, PANELS, load
from tests.pipeline.cli import (
    application_message_cases,
    broker_message_cases,
    learning_message_cases,
    live_message_cases,
    pulsar_message_cases,
    scaling_message_cases,
)
from tests.pipeline.cli.command import sets

CSV, JSON, YAML, PARQUET = "t.csv", "t.json", "c.yaml", "t.parquet"
ROWS = "timestamp,partition,rate\n"
LOADS = "timestamp,rate\n0,5\n1,6\n2,5\n"


class Case(NamedTuple):
    """A call of the command.

    Attributes
    ----------
    words
        Arguments; ``{name}`` stands for the path of a file.
    files
        Contents of files by name.
    """

    words: Sequence[str]
    files: Mapping[str, str | bytes] = {}
    environment: Mapping[str, str] = {}


SETTINGS = {
    "an integer too small": "partitions=0",
    "an integer too large": "iterations=1000001",
    "a number for an integer": "replicates=1e9",
    "a number out of range": "deltas=5,101",
    "a text for a number": "capacity=many",
    "a number that is not finite": "deltas=NaN",
    "a secret for a number": "capacity=Zk3hunter2hunter2hunter2",
    "a list for a number": "capacity=[1,2]",
    "no boolean": "clip=1",
    "no start condition": "initial_rates=25",
    "an empty list": "deltas=",
    "a value twice": "deltas=5,5",
    "a capacity above the consumer's": "capacity=200",
    "an unknown algorithm": "algorithms=FOO",
    "an algorithm twice": "algorithms=reference,MWF",
    "an unknown suffix": "algorithms=BFD+Q",
    "an algorithm of no module": "algorithms=BFD,no_such.module:assign",
    "an algorithm that a module does not have": "algorithms=BFD,tests.guides:assign",
    "an algorithm with other parameters": "algorithms=BFD,tests.guides:commands",
    "a suffix of a static assignment": "algorithms=kd_4+M",
    "a wrong price": "algorithms=SR_0.70",
    "no consumers": "algorithms=kd_0",
    "a range without an end": "algorithms=kd_1..",
    "a range that descends": "algorithms=kd_8..kd_1",
    "a range too long": "algorithms=kd_1..kd_2000",
    "no name of an algorithm": "algorithms=[5]",
    "an unknown bounded algorithm": "bound_algorithms=SR_2",
    "a bound without capacity": "bound_algorithms=kd_1",
    "an unknown key": "partitons=5",
    "no value": "deltas",
    "a negative seed": "seed=-1",
}

SEVERAL = {
    "more consumers than partitions": ("partitions=8", "algorithms=kd_9"),
    "too many rates": ("partitions=1000000", "iterations=1000"),
    "too many consumer ids": ("partitions=5000", "iterations=5000", "algorithms=kd_1..kd_30"),
    "too many streams": ("replicates=100000", "initial_rates=uniform,0,50,100"),
    "too many scores": ("replicates=100000",),
    "too many samples": ("capacity=1e12", "consumer_capacity=1e12"),
}

CONFIGS = {
    "a wrong value": "seed: 1\ndeltas: [5, -1]\n",
    "a boolean for an integer": "partitions: true\n",
    "no mapping": "- 5\n",
    "a duplicate key": "seed: 1\nseed: 2\n",
    "a key that is no text": "5: 1\n",
    "no YAML": "seed: [",
    "a tag": "seed: !!int x\n",
    "a forbidden character": "seed: \x01\n",
    "an unknown preset": "preset: big\n",
    "no experiments": "experiments: 5\n",
    "no settings of an experiment": "experiments:\n  a: 5\n",
    "a wrong name of an experiment": "experiments:\n  a b:\n    partitions: 4\n",
    "the reserved name": "experiments:\n  trace:\n    partitions: 4\n",
    "an unknown key of an experiment": "experiments:\n  a:\n    seed: 4\n",
}

TRACES: dict[str, tuple[str, str | bytes]] = {
    "an empty file": (CSV, ""),
    "only blanks": (CSV, "\n \n"),
    "no header": (CSV, "0.5,0.0078,2\n"),
    "one total rate": (CSV, "0.5,0.0078\n"),
    "a total rate that is text": (CSV, "timestamp,rate\n1,5\n2,x\n"),
    "other columns": (CSV, "time,a\n1,2\n"),
    "one column": (CSV, "timestamp;a\n1;2\n"),
    "a column too many": (CSV, "timestamp,partition,rate,group\n1,a,3,g\n"),
    "a missing column": (CSV, "timestamp,partition\n1,a\n"),
    "two columns of a name": (CSV, "timestamp,a,a\n1,2,3\n"),
    "a column without a name": (CSV, "timestamp,a,\n1,2,3\n"),
    "no rows": (CSV, ROWS),
    "no rows in wide form": (CSV, "timestamp,a\n"),
    "a negative rate": (CSV, f"{ROWS}1,a,-5\n"),
    "a rate that is text": (CSV, "timestamp,a\n1,5\n2,x\n"),
    "a missing cell": (CSV, "timestamp,a\n1,5\n2\n"),
    "a missing cell in long form": (CSV, f"{ROWS}1,a\n"),
    "a row twice": (CSV, f"{ROWS}1,a,5\n1,a,6\n"),
    "a time twice": (CSV, "timestamp,a\n1,5\n1,6\n"),
    "no partition's name": (CSV, f"{ROWS}1,,5\n"),
    "no time": (CSV, f"{ROWS}x,a,5\n"),
    "another kind of time": (CSV, f"{ROWS}1,a,5\n2024-01-01,a,5\n"),
    "a time without its zone": (CSV, f"{ROWS}2024-01-01T00:00Z,a,5\n2024-01-02,a,5\n"),
    "no integer": (CSV, "iteration,a\n1.5,5\n"),
    "no rates": (CSV, "timestamp,a\n1,\n"),
    "unbalanced quotes": (CSV, 'timestamp,a\n1,"5\n'),
    "UTF-16": (CSV, ROWS.encode("utf-16")),
    "Latin-1": (CSV, f"{ROWS}1,é,5\n".encode("latin-1")),
    "a compressed file": (CSV, b"\x1f\x8b\x08\0\0"),
    "a Parquet file in name only": (PARQUET, "timestamp,a\n1,2\n"),
    "no JSON": (JSON, "[5,]"),
    "another JSON": (JSON, '{"a": 5}'),
    "an empty list": (JSON, "[]"),
    "no measurement": (JSON, "[5]"),
    "no partitions": (JSON, '[{"t": 5}]'),
    "NaN in JSON": (JSON, '[{"t": {"0": NaN}}]'),
    "a negative rate in JSON": (JSON, '[{"t": {"0": -1}}]'),
    "a key twice in JSON": (JSON, '[{"t": {"0": 1, "0": 2}}]'),
    "rates above the capacity": (CSV, "iteration,a\n1,1e300\n"),
}

QUERIES = {
    "an empty query": "",
    "two statements": "SELECT 1; SELECT 2",
    "a statement that writes": "DELETE FROM runs",
    "an unknown table": "FROM pareot",
    "an unknown column": "SELECT runid FROM runs",
}

GOOD = {CSV: "timestamp,a,b\n0,5,1\n30,6,\n60,7,2\n120,7,2\n"}

TOTAL = {CSV: "1,5\n2,6\n", "w.csv": "iteration,a,b\n1,5,6\n"}

SMOKE = ("run", "--preset", "autoscaling-smoke")

SERVE = (
    *("live", "serve", "night", "--topic", "orders", "--group", "billing"),
    *("--capacity", "1MB", "--consumer-rate", "2MB", "--module", "no_such_module"),
)
BROKERS = ("live", "brokers", "plan", "--bootstrap", "127.0.0.1:1")

OTHERS = {
    "run: an unknown preset": Case(["run", "--preset", "big"]),
    "run: a wrong run id": Case(["run", "--run-id", "a b"]),
    "run: a warehouse that cannot be written": Case(["run", "--warehouse", "/proc/w"]),
    "run: a warehouse that is a file": Case(["run", "--warehouse", "{t.csv}"], GOOD),
    "run: an unknown option": Case(["run", "--partitions", "5"]),
    "run: a missing configuration": Case(["run", "--config", "{c.yaml}"]),
    "run: JSON settings": Case(["run", "--config", "{t.json}"], {JSON: '{"seed": 1,}'}),
    "run: a setting without use": Case(
        ["run", "--trace", "{t.csv}", "--set", "replicates=3"], GOOD
    ),
    "run: an experiment without use": Case(
        ["run", "--trace", "{t.csv}", "--config", "{c.yaml}"],
        {**GOOD, YAML: "experiments:\n  a:\n    partitions: 4\n"},
    ),
    "run: a setting of a profile": Case(
        [*SMOKE, "--trace", "{t.csv}", "--set", "iterations=5"], GOOD
    ),
    "run: a split of partitions": Case(
        [*SMOKE, "--trace", "{t.csv}", "--set", "partitions=4"], GOOD
    ),
    "run: a trace on a broker": Case(["run", "--preset", "live-smoke", "--trace", "{t.csv}"], GOOD),
    "run: no published workloads": Case(["run", "--preset", "autoscaling-papers"]),
    "run: a trace twice": Case(["run", "--trace", "{t.csv}", "--trace", "{t.csv}"], GOOD),
    "import: a trace": Case(["import", "{t.csv}"], GOOD),
    "simulate: a file": Case(
        ["simulate", "{t.csv}", "--partitions", "2", "--strategy", "linear,constant"], TOTAL
    ),
    "import: one total rate": Case(["import", "{t.csv}"], TOTAL),
    "import: a capacity without use": Case(["import", "{t.csv}", "--capacity", "9"], TOTAL),
    "import: a wrong capacity": Case(["import", "{t.csv}", "--capacity", "0"], GOOD),
    "sql: a wrong format": Case(["sql", "FROM runs", "--format", "xml"]),
    "sql: a wrong timeout": Case(["sql", "FROM runs", "--timeout", "0"]),
    "sql: no tables": Case(["sql", "FROM runs", "--warehouse", "{none}"]),
    "retain: no runs": Case(["retain", "--warehouse", "{none}"]),
    "promote: no runs": Case(["promote", "r1", "--reason", "x", "--warehouse", "{none}"]),
    "promote: no reason": Case(["promote", "r1", "--reason", " "]),
    "compare: no runs": Case(["compare", "r1", "--warehouse", "{none}"]),
    "track: an unknown run": Case(["track", "r1", "--warehouse", "{none}"]),
    "verify: an unknown run": Case(["live", "verify", "r1", "--warehouse", "{none}"]),
    "serve: a wrong place to begin": Case([*SERVE, "--offsets", "first"]),
    "serve: no time": Case([*SERVE, "--seconds", "0"]),
    "serve: an unknown module": Case(SERVE),
    "serve: no brokers": Case([*SERVE[:-1], "json"]),
    "brokers: neither added nor removed": Case([*BROKERS]),
    "brokers: added and removed": Case([*BROKERS, "--add", "3", "--remove", "3"]),
    "brokers: a wrong id": Case([*BROKERS, "--add", "-2"]),
    "brokers: a file that exists": Case([*BROKERS, "--add", "3", "-o", "{t.csv}"], GOOD),
    "presets": Case(["presets"]),
    "presets of a family": Case(["presets", "--family", "autoscaling"]),
    "presets of an unknown family": Case(["presets", "--family", "planning"]),
    "a preset and a family": Case(["presets", "smoke", "--family", "live"]),
    "experiments of a preset": Case(["presets", "smoke"]),
    "experiments of an unknown preset": Case(["presets", "big"]),
    "algorithms": Case(["algorithms"]),
}


def _learning() -> Iterator[tuple[str, Case]]:
    for name, settings in learning_message_cases.EXPERIMENTS.items():
        yield f"learning: {name}", Case(["run", "--preset", "learning-smoke", *sets(*settings)])
    for name, settings in learning_message_cases.ON_GROUPS.items():
        words = ["run", "--preset", "learning-groups-smoke", *sets(*settings)]
        yield f"learning: {name}", Case(words)
    words = ["learn", "evaluate", "{t.json}", "--trace", "{t.csv}"]
    for name, text in learning_message_cases.POLICIES.items():
        yield f"learn: {name}", Case(words, {JSON: text, CSV: ROWS})
    files = {JSON: learning_message_cases.GOOD_POLICY, CSV: f"{ROWS}0,a,5\n40,a,6\n"}
    for name, rows in learning_message_cases.TRACES.items():
        yield f"learn: {name}", Case(words, {**files, CSV: ROWS + rows})
    for rate in ("0", "-1", "nan"):
        yield f"learn: a unit rate of {rate}", Case([*words, f"--unit-rate={rate}"], files)
    for seeds in ("0", "-1"):
        yield (
            f"learn: an export of {seeds} seeds",
            Case(["learn", "export", "r1", "--seeds", seeds]),
        )
    twice = ["--trace", "{t.csv}", "--trace", "{w.csv}"]
    yield (
        "learning: a recording under two names",
        Case(
            ["run", "--preset", "learning-groups-smoke", *twice],
            dict.fromkeys((CSV, "w.csv"), LOADS),
        ),
    )
    for name, text in learning_message_cases.STRATEGIES.items():
        for command, arguments in learning_message_cases.WITH_STRATEGY.items():
            yield f"{command}: {name}", Case(arguments, {JSON: text})


def _all() -> Iterator[tuple[str, Case]]:
    yield "help", Case(["--help"])
    for name in chain.from_iterable(PANELS.values()):
        yield f"help: {name}", Case([name, "--help"])
    for first in GROUPS.values():
        yield f"help: {first}", Case([first, "--help"])
        for entry in load(first).registered_commands:
            yield f"help: {first} {entry.name}", Case([first, entry.name or "", "--help"])
    for name, setting in SETTINGS.items():
        yield f"setting: {name}", Case(["run", "--set", setting])
    for name, settings in SEVERAL.items():
        yield f"settings: {name}", Case(["run", *sets(*settings)])
    for name, text in CONFIGS.items():
        yield f"configuration: {name}", Case(["run", "--config", "{c.yaml}"], {YAML: text})
    for name, (file, content) in TRACES.items():
        yield f"trace: {name}", Case(["run", "--trace", f"{{{file}}}"], {file: content})
    yield from _of_autoscaling()
    yield from _of_applications()
    yield from _of_real_systems()
    yield from _learning()
    for name, query in QUERIES.items():
        yield f"query: {name}", Case(["sql", query])
    yield from OTHERS.items()


def _of_real_systems() -> Iterator[tuple[str, Case]]:
    modules = {
        "live": live_message_cases,
        "brokers": broker_message_cases,
        "pulsar": pulsar_message_cases,
    }
    for family, cases in modules.items():
        for name, settings in cases.EXPERIMENTS.items():
            words = ["run", "--preset", f"{family}-smoke", *sets(*settings)]
            yield f"{family}: {name}", Case(words)


def _of_applications() -> Iterator[tuple[str, Case]]:
    for name, text in application_message_cases.FILES.items():
        yield f"application: {name}", Case(["simulate-application", "{c.yaml}"], {YAML: text})
    for name, words in application_message_cases.OPTIONS.items():
        good = {YAML: application_message_cases.GOOD}
        yield f"application: {name}", Case(["simulate-application", "{c.yaml}", *words], good)
    for name, settings in application_message_cases.EXPERIMENTS.items():
        words = ["run", "--preset", "applications", *sets(*settings)]
        yield f"applications: {name}", Case(words)


def _of_autoscaling() -> Iterator[tuple[str, Case]]:
    for name, words in scaling_message_cases.SIMULATIONS.items():
        yield f"simulate: {name}", Case(["simulate", *words], TOTAL)
    for name, words in scaling_message_cases.RECOMMENDATIONS.items():
        yield f"recommend: {name}", Case(["recommend", "steady", *words])
    for name, settings in scaling_message_cases.EXPERIMENTS.items():
        yield f"autoscaling: {name}", Case([*SMOKE, *sets(*settings)])
    for name, text in scaling_message_cases.FILES.items():
        yield f"autoscaling file: {name}", Case(["run", "--config", "{c.yaml}"], {YAML: text})


CASES = dict(_all())
