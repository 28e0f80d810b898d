"""Neither the order of rows nor that of columns has an influence on a trace."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.inputs.traces import Trace, load, partition_order

pytestmark = pytest.mark.unit

NAMES = ["a/0", "a/1", "a/2", "a/10", "b/0", "b/9", "b/11", "zz/3"]


@pytest.mark.parametrize(
    ("names", "ordered"),
    [
        (["t/10", "t/9", "t/1"], ["t/1", "t/9", "t/10"]),
        (["b/0", "a/1", "B/0"], ["B/0", "a/1", "b/0"]),
        (["2", "10", "1"], ["1", "2", "10"]),
        (["p10", "p2", "east", "p2x"], ["east", "p2", "p2x", "p10"]),
        (["t2/0", "t10/0"], ["t10/0", "t2/0"]),
        (["a/b/1", "a/0"], ["a/0", "a/b/1"]),
        (["x", "1"], ["1", "x"]),
        (["01", "1"], ["01", "1"]),
    ],
)
def test_topics_as_text_and_partitions_by_number(names: list[str], ordered: list[str]) -> None:
    """Kafka sorts topics as texts, so that t10 is before t2."""
    assert [names[place] for place in partition_order.order(names)] == ordered


@given(st.lists(st.text("ab/019x", max_size=6), unique=True), st.randoms())
def test_the_order_is_one(names: list[str], dice: random.Random) -> None:
    ordered = [names[place] for place in partition_order.order(names)]
    dice.shuffle(names)
    assert [names[place] for place in partition_order.order(names)] == ordered


def written(folder: Path, form: str, lines: list[list[str]]) -> Trace:
    folder.mkdir(exist_ok=True)
    file = folder / "t.csv"
    file.write_text("".join(",".join(line) + "\n" for line in lines))
    return load(file)


def equal(one: Trace, other: Trace) -> bool:
    return (
        one.partitions == other.partitions
        and one.digest == other.digest
        and np.array_equal(one.rates, other.rates, equal_nan=True)
        and one.times is not None
        and other.times is not None
        and one.times.at.tolist() == other.times.at.tolist()
    )


@settings(max_examples=30, deadline=None)
@given(
    dice=st.randoms(use_true_random=False),
    count=st.integers(1, len(NAMES)),
    value=st.sampled_from(["rate", "offset"]),
)
def test_permuted_rows_and_columns_give_the_same_trace(
    tmp_path_factory: pytest.TempPathFactory, dice: random.Random, count: int, value: str
) -> None:
    folder = tmp_path_factory.mktemp("permuted")
    names = dice.sample(NAMES, count)
    times = [1_772_438_400 + 60 * k for k in range(6)]
    level = {name: 0 for name in names}
    cells: dict[tuple[int, str], str] = {}
    for time in times:
        for name in names:
            level[name] = level[name] * (value == "offset") + dice.randrange(0, 900)
            cells[time, name] = str(level[name]) if dice.random() < 0.9 else ""
    cells[times[0], names[0]], cells[times[1], names[0]] = "0", "60"
    long = [[str(time), *name.split("/"), cells[time, name]] for time in times for name in names]
    head = ["timestamp", "topic", "partition", value]
    first = written(folder, "long", [head, *long])
    dice.shuffle(long)
    columns = dice.sample(range(4), 4)
    assert equal(first, written(folder, "long", [[r[c] for c in columns] for r in [head, *long]]))
    if value == "offset":
        return
    rows = [[str(time), *(cells[time, name] for name in names)] for time in times]
    again = dice.sample(range(1, count + 1), count)
    dice.shuffle(rows)
    wide = [[row[0], *(row[c] for c in again)] for row in [["timestamp", *names], *rows]]
    assert equal(first, written(folder, "wide", wide))
