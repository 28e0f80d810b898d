"""CSV and JSON files that are not traces, and unreadable files."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.inputs.traces import load
from tests.pipeline.inputs.traces.trace_files import refusal

pytestmark = pytest.mark.unit


HEADERS = [
    ("0.5,0.0078,2\n1.5,0.07,3\n", "'0.5,0.0078,2'"),
    ("2022-09-05 16:34:44\n", "'2022-09-05 16:34:44'"),
    ("0.5,nan\n", "must name the columns"),
    ("time,a\n1,2\n", "'timestamp,<partition>,<partition>,…'"),
    ("a,timestamp\n1,2\n", "'timestamp,<partition>,<partition>,…'"),
    ("at,partition_id,bytes\n1,2,3\n", "'timestamp,topic,partition,rate'"),
    ("at,part,end_offset\n1,2,3\n", "'timestamp,topic,partition,offset'"),
    ("at,rate_in\n1,2\n", "'timestamp,rate'"),
    ("at,b\n1,2\n", "see docs/traces.md"),
    ("timestamp,iteration,a\n1,2,3\n", "timestamp or iteration"),
    ("timestamp,iteration,partition,rate\n1,1,a,3\n", "timestamp or iteration"),
    ("partition,rate\na,3\n", "timestamp or iteration"),
    ("timestamp,partition,rate,group\n1,a,3,t\n", "'group'"),
    ("timestamp,partition,rate,offset\n1,a,3,4\n", "got both"),
    ("timestamp,topic,rate\n1,a,3\n", "got no partition"),
    ("timestamp,partition,speed\n1,0,3\n", "got no rate"),
    ("timestamp,partition\n1,0\n", "got no rate"),
    ("rate,timestamp\n1,0\n", "got no partition"),
    ("timestamp\n1\n", "got no partition"),
    ("timestamp,a,a\n1,2,3\n", "columns 2 and 3 "),
    ("timestamp,a, a \n1,2,3\n", "columns 2 and 3 "),
    ("timestamp,a,\n1,2,3\n", "column 3 "),
    ("# of today\ntimestamp,a\n1,2\n", "lines that begin with # are not read; remove them"),
    ("timestamp;a\n1;2\n", "commas, as in 'timestamp,<partition>,<partition>,…' (got one column)"),
    ("timestamp\ta\n1\t2\n", "commas"),
    ("at|partition|offset\n1|2|3\n", "'timestamp,topic,partition,offset'"),
    ("at;rate\n1;2\n", "'timestamp,rate'"),
    ("time;b\n1;2\n", "see docs/traces.md"),
    ("0.5,0.0078,2\n", "see docs/traces.md"),
    ("timestamp,,b\n1,2,3\n", "as in 'timestamp,<partition>,<partition>,…'; see docs/traces.md"),
    ('timestamp,"a"b\n1,2\n', "CSV"),
]


@pytest.mark.parametrize(("text", "words"), HEADERS)
def test_headers_that_are_none(tmp_path: Path, text: str, words: str) -> None:
    message = refusal(tmp_path, text)
    assert message.startswith(":1: ")
    assert words in message


BAD_CELLS = [
    ("x", "got 'x'"),
    ("-1", "got '-1'"),
    ("-1e-9", "got '-1e-9'"),
    ("nan", "got 'nan'"),
    ("NaN", "got 'NaN'"),
    ("inf", "got 'inf'"),
    ("-Infinity", "got '-Infinity'"),
    ("1e999", "got '1e999'"),
    ("null", "got 'null'"),
    ("1_000", "got '1_000'"),
    ("0x10", "got '0x10'"),
    ("٣", "got '٣'"),
    ("1 000", "got '1 000'"),
    ('"1,5"', "got '1,5'"),
    ("true", "got 'true'"),
    ("e", "got 'e'"),
    ("--1", "got '--1'"),
]


@pytest.mark.parametrize(("cell", "words"), BAD_CELLS)
def test_rates_that_are_none(tmp_path: Path, cell: str, words: str) -> None:
    message = refusal(tmp_path, f"iteration,a,b\n1,1,2\n\n2,5,{cell}\n3,1,1\n")
    assert message.startswith(":4: partition 'b': ")
    assert words in message
    message = refusal(tmp_path, f"iteration,partition,rate\n1,a,1\n\n2,a,{cell}\n3,a,1\n")
    assert message.startswith(":4: ")
    assert words in message


@pytest.mark.parametrize("header", ["", "iteration,rate\n"])
@pytest.mark.parametrize(("cell", "words"), [*BAD_CELLS, ("", "got none"), (" ", "got none")])
def test_total_rates_that_are_none(tmp_path: Path, header: str, cell: str, words: str) -> None:
    """A total is never absent, unlike a partition."""
    message = refusal(tmp_path, f"{header}1,1\n\n2,{cell}\n3,1\n")
    assert message.startswith(f":{4 if header else 3}: rate must be a number, 0 or more ")
    assert words in message


@pytest.mark.parametrize("row", ["2", "2,a", "2,a,1,1", "2,a,1,", '2,a,"1'])
def test_rows_of_another_length(tmp_path: Path, row: str) -> None:
    for header in ("iteration,partition,rate\n1,a,5", "iteration,a,b\n1,3,5"):
        message = refusal(tmp_path, f"{header}\n{row}\n3,a,7\n")
        assert message.startswith((":3: ", ":4: "))
        assert "cells" in message or "CSV" in message


@pytest.mark.parametrize(
    ("column", "first", "wrong", "words"),
    [
        ("timestamp", "1", "x", "a number,"),
        ("timestamp", "1", "2024-01-01", "a number,"),
        ("timestamp", "x", "1", "ISO 8601"),
        ("timestamp", "nan", "1", "ISO 8601"),
        ("timestamp", "1", "inf", "a number,"),
        ("timestamp", "2024-01-01", "2024-13-01", "ISO 8601"),
        ("timestamp", "2024-01-01", "5", "ISO 8601"),
        ("timestamp", "2024-01-01", "2024-01-01T00:00Z", "must not have a time zone"),
        ("timestamp", "2024-01-01T00:00Z", "2024-01-01", "must have a time zone"),
        ("timestamp", "1", "", "must be a"),
        ("iteration", "1", "1.5", "an integer (got '1.5')"),
        ("iteration", "1", "2024-01-01", "an integer"),
        ("iteration", "1", "1e999", "an integer"),
    ],
)
def test_times_that_are_none(
    tmp_path: Path, column: str, first: str, wrong: str, words: str
) -> None:
    line = 2 if first in ("x", "nan") else 3
    wide = f"{column},a\n{first},1\n{wrong},2\n"
    long = f"{column},partition,rate\n{first},a,1\n{wrong},a,2\n"
    for text in (wide, long):
        message = refusal(tmp_path, text)
        assert message.startswith(f":{line}: {column} must ")
        assert words in message


def test_a_time_and_partition_occur_once(tmp_path: Path) -> None:
    text = "timestamp,partition,rate\n1,a,1\n1,b,1\n2,a,1\n2,b,1\n1.0, b ,\n2,a,1\n"
    message = refusal(tmp_path, text)
    assert message.startswith(":6: ")
    assert "partition 'b'" in message
    assert f"{tmp_path}/t.csv:3;" in message
    message = refusal(tmp_path, "iteration,a\n3,1\n\n1,1\n3,2\n")
    assert message.startswith(":5: ")
    assert "iteration '3'" in message
    assert "line 2;" in message


def test_a_long_row_names_its_partition(tmp_path: Path) -> None:
    message = refusal(tmp_path, "timestamp,partition,rate\n1,a,1\n1,  ,1\n")
    assert message.startswith(":3: partition ")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("timestamp,a\n", "no rows"),
        ("timestamp,partition,rate\n\n", "no rows"),
        ("timestamp,a,b\n1,,\n2,,\n", "one rate"),
        ("timestamp,partition,rate\n1,a,\n", "one rate"),
        ("\n \n", "blanks"),
        ("\ufeff", "blanks"),
    ],
)
def test_files_without_rates(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", ":1: not valid JSON"),
        ('[{"t": {"0": 1}},\n {"t": {"0": }}]', ":2: not valid JSON"),
        ('[{"t": {"0": 1}}]\n[]', ":2: a second JSON document begins here"),
        ('{"metric": {}, "values": []}\n{}', "an answer of Prometheus"),
        ('{"t": {"0": 1}}', "a list of measurements"),
        ("[]", "got no measurements"),
        ("[{}]", "got no partitions"),
        ('[{"t": {}}]', "got no partitions"),
        ("[5]", "measurement 1: "),
        ('[{"t": {"0": 1}}, [1]]', "measurement 2: "),
        ('[{"t": 5}]', "measurement 1, topic 1: "),
        ('[{"0": 12.5}]', "got 12.5"),
        ('[{"t": {"0": {"a": 1}}}]', "partition '0': rate must"),
        ('[{"t": {"0": true}}]', "got true"),
        ('[{"t": {"0": "5"}}]', "got '5'"),
        ('[{"t": {"0": 1}}, {"t": {"0": -1}}]', "measurement 2, topic 't', partition '0'"),
        ('[{"t": {"0": NaN}}]', "got NaN,"),
        ('[{"t": {"0": -Infinity}}]', "got -Infinity,"),
        ('[{"t": {"0": 1e999}}]', "got inf"),
        ('[{"t": {"0": 1' + "0" * 400 + "}}]", "401 digits"),
        ('[{"t": {"0": 1' + "0" * 5000 + "}}]", "digits"),
        ('[{"t": {"0": 1, "0": 2}}]', "duplicate key in one object: '0'"),
        ('[{"t": {"0": 1}, "t": {"1": 2}}]', "duplicate key in one object: 't'"),
        ('[{"a/b": {"c": 1}, "a": {"b/c": 2}}]', "same name"),
        ('[{"t": {"0": null}}]', "one rate"),
        ("[" * 100_000, "nested too deeply"),
        ("time,a\n1,2\n", ":1: not valid JSON"),
        ("<html>Sign in</html>", ":1: is a web page"),
        (
            'HTTP/1.1 200 OK\nA: b\n\n{"status": "success"}',
            ":1: lines before the JSON are not read",
        ),
        ('{"status": "success", "data": {"result": [' + "[1, 2], " * 20, "the file is cut short"),
    ],
)
def test_json_that_is_no_trace(tmp_path: Path, text: str, words: str) -> None:
    message = refusal(tmp_path, text, "t.json")
    assert words in message
    assert len(message) < 600


@pytest.mark.parametrize("head", [b"\x1f\x8b\x08", b"PK\x03\x04", b"\x28\xb5\x2f\xfd"])
def test_compressed_files_are_refused(tmp_path: Path, head: bytes) -> None:
    assert "compressed" in refusal(tmp_path, head + b"x" * 50, "t.csv.gz")


@pytest.mark.parametrize("form", ["iteration,a", "iteration,partition,rate"])
def test_text_that_is_not_utf8_is_told_with_its_line(tmp_path: Path, form: str) -> None:
    row = "1,2" if form == "iteration,a" else "1,p,2"
    text = f"{form}\n{row}\n".encode() + b"2,\xe9\n"
    assert refusal(tmp_path, text).startswith(":3: must be UTF-8")
    assert refusal(tmp_path, b"iteration,\xe9\n1,2\n").startswith(":1: must be UTF-8")
    assert "UTF-16" in refusal(tmp_path, "iteration,a\n1,2\n".encode("utf-16"))
    assert ":2: must be UTF-8" in refusal(tmp_path, b'[{"t":\n{"\xe9": 1}}]')


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    for path, words in (
        (tmp_path / "none.csv", "not found"),
        (tmp_path, "is a folder; name a file"),
        (pipe, "regular file"),
        (loop, "symbolic links"),
        (tmp_path / ("x" * 300), "name too long"),
        (tmp_path / "a\0b", "null"),
    ):
        with pytest.raises(InputError) as caught:
            load(path)
        assert words in str(caught.value)
    assert "is empty" in refusal(tmp_path, "")


def test_traces_that_are_too_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_RATES", 5)
    rows = "\n".join(f"{k},1,2" for k in range(3))
    assert "at most 5 rates" in refusal(tmp_path, f"iteration,a,b\n{rows}\n")
    long = "\n".join(f"{k},p{k},2" for k in range(3))
    assert "= 9)" in refusal(tmp_path, f"iteration,partition,rate\n{long}\n")
    measured = ",".join('{"t": {"0": 1, "1": 2}}' for _ in range(3))
    assert "= 6)" in refusal(tmp_path, f"[{measured}]")
    monkeypatch.setattr(limits, "MAX_PARTITIONS", 1)
    assert "at most 1 partitions (got 2)" in refusal(tmp_path, "iteration,a,b\n1,1,2\n")
    monkeypatch.setattr(limits, "MAX_ITERATIONS", 1)
    assert "at most 1 times (got 2)" in refusal(tmp_path, "iteration,a\n1,1\n2,2\n")


def test_sparse_long_files_do_not_take_memory_for_what_is_not_there(tmp_path: Path) -> None:
    """A row each for 30,000 times and partitions would be a matrix of 7 GB."""
    rows = "".join(f"{k},p{k},1\n" for k in range(30_000))
    message = refusal(tmp_path, f"iteration,partition,rate\n{rows}")
    assert "= 900,000,000)" in message


def test_lines_are_right_in_large_files(tmp_path: Path) -> None:
    """Arrow reads blocks of a file at once: the line must be that of the file."""
    rows = [f"{k // 100},p{k % 100},1.5" for k in range(200_000)]
    rows[150_000] += "x"
    text = "\n".join(["iteration,partition,rate", "", *rows])
    message = refusal(tmp_path, text)
    assert message.startswith(":150003: ")
    assert "got '1.5x'" in message
    rows[150_000] = "1500,p0"
    text = "\n".join(["iteration,partition,rate", "", *rows])
    message = refusal(tmp_path, text)
    assert message.startswith(":150003: ")
    assert message.endswith("(got 2)")


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("t.xlsx", "xl/workbook.xml"),
        ("t.csv", "[Content_Types].xml"),
        ("t.csv", "docProps/app.xml"),
    ],
)
def test_a_spreadsheet_is_not_just_compressed(tmp_path: Path, name: str, inside: str) -> None:
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr(inside, "<xml/>")
    message = refusal(tmp_path, (tmp_path / name).read_bytes(), name)
    assert message == (
        ": is a spreadsheet; save it as CSV with columns 'timestamp,<partition>,<partition>,…'; "
        "see docs/traces.md"
    )


def test_an_archive_of_something_else_is_compressed(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "timestamp,a\n1,2\n")
    assert "decompress it" in refusal(tmp_path, (tmp_path / "t.zip").read_bytes(), "t.zip")
