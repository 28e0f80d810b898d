"""Exports of panels in the notations of several countries, with sums and single partitions."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipeline.inputs.traces import Trace, load
from pipeline.inputs.traces.rates.total_column import is_numbered
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit


def panel(cells: list[str], mark: str = ";", names: str = "parcels/0") -> str:
    rows = [f"2026-03-02 08:{k:02}:00{mark}{cell}\n" for k, cell in enumerate(cells)]
    return f"Time{mark}{names}\n" + "".join(rows)


def first(trace: Trace) -> list[float]:
    column: list[float] = trace.rates[:, 0].tolist()
    return column


def test_between_semicolons_commas_are_decimal(tmp_path: Path) -> None:
    text = (
        "Time;parcels/0;parcels/1\n2026-03-02 08:00:00;1,500;2,250\n"
        "2026-03-02 08:01:00;1,750;2,500\n"
    )
    trace = loaded(tmp_path, text)
    assert trace.rates.tolist() == [[1.5, 2.25], [1.75, 2.5]]
    assert "Commas count as decimal marks, since semicolons separate the cells." in trace.notes


@pytest.mark.parametrize(
    ("mark", "cells", "values"),
    [
        (";", ["1,5", "12,25"], [1.5, 12.25]),
        (";", ["1.234,5", "12.345"], [1234.5, 12345]),
        (";", ["12.345.678", "0,5"], [12345678, 0.5]),
        (";", ["1.5", "1,500"], [1.5, 1500]),
        (";", ["1234.567", "12.345"], [1234.567, 12.345]),
        (";", ["0.125", "12.345"], [0.125, 12.345]),
        (";", ["1 234,5", "2 000"], [1234.5, 2000]),
        (";", ["1\u202f234,5", "2\u00a0000,5"], [1234.5, 2000.5]),
        (";", ["1'234.5", "2\u2019000"], [1234.5, 2000]),
        (";", ["1,5 kB/s", "12,25 MB/s"], [1500, 12.25e6]),
        (";", ["1.234,5 msg/s", "12.345 msg/s"], [1234.5, 12345]),
        (",", ['"1,5"', '"2,25"'], [1.5, 2.25]),
        (",", ['"1,234.5"', '"2,000"'], [1234.5, 2000]),
        (",", ['"12,34,567.5"', '"1,23,456"'], [1234567.5, 123456]),
        (",", ['"1,500 msg/s"', '"2,250 msg/s"'], [1500, 2250]),
        (",", ["12.345", "7.25"], [12.345, 7.25]),
        (",", ["12.345", "7.1e-2"], [12.345, 0.071]),
    ],
)
def test_one_notation_per_file(
    tmp_path: Path, mark: str, cells: list[str], values: list[float]
) -> None:
    file = tmp_path / "t.csv"
    for order in (1, -1):
        file.write_text(panel(cells[::order], mark))
        assert first(load(file, values="rates")) == [pytest.approx(v) for v in values[::order]]


@pytest.mark.parametrize(
    ("mark", "cells", "words"),
    [
        (";", ["12.345", "23.456"], "a point can mark decimals or thousands (got '12.345')"),
        (",", ["12.345", "7"], "a point can mark decimals or thousands"),
        (";", ["1,500", "12.345"], "a point can mark decimals or thousands"),
        (";", ["1,5", "1.5"], "decimal points and decimal commas (got '1.5' and '1,5')"),
        (";", ["1,234.5", "1.234,5"], "decimal points and decimal commas"),
        (";", ["1,2,3", "1"], ":2: column 'parcels/0' must have numbers"),
        (",", ["1.5 MB/s", "3 msg/s"], ":3: columns have several units"),
    ],
)
def test_numbers_that_cannot_be_known(
    tmp_path: Path, mark: str, cells: list[str], words: str
) -> None:
    assert words in refusal(tmp_path, panel(cells, mark))


@pytest.mark.parametrize("unit", ["msg/m", "c/m", "ops/min", "opm", "cpm", "rpm"])
def test_values_per_minute_are_divided(tmp_path: Path, unit: str) -> None:
    trace = loaded(tmp_path, panel([f"120 {unit}", f"1.5 K {unit}"], ","))
    assert first(trace) == [2, 25]
    assert trace.unit == "messages/s"
    assert "Values per minute are divided by 60." in trace.notes


@pytest.mark.parametrize(
    ("name", "partition"),
    [
        ("parcels/0", "parcels/0"),
        ("parcels-12", "parcels-12"),
        ("parcels:3", "parcels:3"),
        ("7", "7"),
        ("parcels partition 4", "parcels partition 4"),
        ('"{partition=""0"", topic=""parcels""}"', "parcels/0"),
    ],
)
def test_a_panel_of_one_partition_is_no_total(tmp_path: Path, name: str, partition: str) -> None:
    trace = loaded(tmp_path, panel(["1.5", "2.5"], ",", name))
    assert (trace.is_total, trace.partitions) == (False, (partition,))


@pytest.mark.parametrize("name", ["Value", "total", "orders", "events v2", "sum(rate)", "A-series"])
def test_a_panel_of_one_other_series_is_a_total(tmp_path: Path, name: str) -> None:
    assert loaded(tmp_path, panel(["1.5", "2.5"], ",", name)).is_total
    assert not is_numbered(name)


def rows(names: str, *lines: str) -> str:
    return f"Time,{names}\n" + "".join(
        f"2026-03-02 08:{k:02}:00,{line}\n" for k, line in enumerate(lines)
    )


@pytest.mark.parametrize("name", ["Total", "sum", "All topics", "parcels", "Gesamt", "{}"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_sum_of_the_columns_is_no_partition(tmp_path: Path, name: str, place: int) -> None:
    cells = [["1.5", "2.25", "4.5", "0.5"], ["3", "1", "2", "7.25"]]
    sums = [str(float(a) + float(b)) for a, b in zip(*cells, strict=True)]
    columns, names = [*cells], ["parcels/0", "parcels/1"]
    columns.insert(place, sums)
    names.insert(place, name)
    trace = loaded(tmp_path, rows(",".join(names), *map(",".join, zip(*columns, strict=True))))
    assert trace.partitions == ("parcels/0", "parcels/1")
    assert float(trace.rates.sum()) == 22.0
    assert any("is the sum of the others, so it is left out" in note for note in trace.notes)


def test_sums_of_topics_are_no_partitions(tmp_path: Path) -> None:
    names = "a/0,a total,a/1,b/0,Sum of b,Total"
    lines = ["1.5,4,2.5,3,3,7", "2,6,4,5,5,11", "3,7,4,5.5,5.5,12.5"]
    trace = loaded(tmp_path, rows(names, *lines))
    assert trace.partitions == ("a/0", "a/1", "b/0")
    assert sum("so it is left out" in note for note in trace.notes) == 3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "timestamp,a/0,a/1,b/0,a total\n0,1.5,2,3,3.5\n30,2,4,5,6\n",
            "column 5 ('a total') is the sum of its topic; remove it",
        ),
        (
            "timestamp,topic,partition,rate\n0,a,0,1.5\n0,a,1,2\n0,b,0,5\n0,a,total,3.5\n"
            "30,a,0,2\n30,a,1,4\n30,b,0,5\n30,a,total,6\n",
            "partition 'a/total' is the sum of its topic; remove its rows",
        ),
        (
            "timestamp,partition,rate\n0,0,1.5\n0,1,2\n0,all,3.5\n",
            "partition 'all' is the sum of the others; remove its rows",
        ),
    ],
)
def test_sums_in_files_of_ones_own_are_refused(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, text)


def test_a_topic_with_the_name_of_a_sum_is_one(tmp_path: Path) -> None:
    text = "timestamp,topic,partition,rate\n0,a,0,1.5\n0,a,1,2\n0,a total,0,3\n"
    assert len(loaded(tmp_path, text).partitions) == 3


def test_columns_that_are_no_sum_are_partitions(tmp_path: Path) -> None:
    names = "parcels/0,parcels/1,parcels/2"
    trace = loaded(tmp_path, rows(names, "1.5,2.5,4", "1.5,2.5,4"))
    assert trace.partitions == ("parcels/0", "parcels/1", "parcels/2")
    trace = loaded(tmp_path, rows("east,west,north", "1.5,2.5,4", "1.5,2.5,5"))
    assert len(trace.partitions) == 3
    assert "'Total' has the name of a sum" in refusal(
        tmp_path, rows("parcels/0,parcels/1,Total", "1.5,2.5,5", "1.5,2.5,4")
    )


def test_sums_of_rounded_cells_and_missing_ones(tmp_path: Path) -> None:
    text = rows("a/0,a/1,Total", "1.25 K,2.51 K,3.8 K", "1.25 K,,1.3 K")
    file = tmp_path / "t.csv"
    file.write_text(text)
    assert load(file, values="rates").partitions == ("a/0", "a/1")


def test_many_columns_take_no_time(tmp_path: Path) -> None:
    names = ",".join(f"t/{k}" for k in range(4_000))
    trace = loaded(tmp_path, rows(names, ",".join(["1.5"] * 4_000)))
    assert len(trace.partitions) == 4_000


def test_the_sum_of_a_wide_csv_is_refused(tmp_path: Path) -> None:
    """As a pivot table with margins has it."""
    text = "timestamp,p/0,p/1,All\n0,1.5,2.5,4\n30,1,2,3\n60,2,2,4\n"
    assert "column 4 ('All') is the sum of the others" in refusal(tmp_path, text)
