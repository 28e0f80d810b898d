"""Offsets: snapshots of Kafka's tools, and long CSV; topics in long CSV."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.inputs.traces.moments import Clock, writer
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit

GROUP = """
GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG             CONSUMER-ID                                     HOST            CLIENT-ID
billing         orders          0          {0}             {1}             10              consumer-1-2a9fd2b8-4d1e-4f6a-9f0a-0a8a64c2c8f5 /10.0.0.7       consumer-1
billing         orders          1          -               {2}             -               -                                               -               -
"""  # noqa: E501


def offsets(time: str, *counts: int) -> str:
    return "\n".join([time, *(f"orders:{j}:{count}" for j, count in enumerate(counts))]) + "\n"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("2024-05-01T12:00:00Z", "2024-05-01T12:01:00Z"),
        ("2024-05-01T12:00:00+00:00", "2024-05-01T12:01:00+00:00"),
        ("2024-05-01 12:00:00", "2024-05-01 12:01:00"),
        ("2024-05-01T12:00:00", "2024-05-01T12:01:00"),
        ("1714564800", "1714564860"),
        ("1714564800.000", "1714564860.000"),
        ("Wed May  1 12:00:00 UTC 2024", "Wed May  1 12:01:00 UTC 2024"),
        ("Wed May  1 12:00:00 PM UTC 2024", "Wed May  1 12:01:00 PM UTC 2024"),
        ("Wed 01 May 2024 12:00:00 PM UTC", "Wed 01 May 2024 12:01:00 PM UTC"),
        ("Wed  1 May 12:00:00 UTC 2024", "Wed  1 May 12:01:00 UTC 2024"),
        ("# 2024-05-01T12:00:00Z", "--- 2024-05-01T12:01:00Z ---"),
    ],
)
def test_snapshots_of_get_offsets(tmp_path: Path, first: str, second: str) -> None:
    text = offsets(first, 100, 5, 7) + "\n" + offsets(second, 160, 605, 7)
    trace = loaded(tmp_path, text, "offsets.txt")
    assert trace.partitions == ("orders/0", "orders/1", "orders/2")
    assert trace.rates.tolist() == [[1, 10, 0]]
    assert trace.form == "2 snapshots of kafka-get-offsets, offsets turned into rates"
    assert trace.unit == "messages/s"
    assert trace.times is not None
    assert trace.times.first.startswith("2024-05-01T12:00:00")


@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        ("Wed May  1 12:00:30 AM UTC 2024", "2024-05-01T00:00:30"),
        ("Wed May  1 12:00:30 PM UTC 2024", "2024-05-01T12:00:30"),
        ("Wed May  1 01:02:03 PM UTC 2024", "2024-05-01T13:02:03"),
        ("Wed 01 May 2024 12:00:30 AM UTC", "2024-05-01T00:00:30"),
    ],
)
def test_times_of_half_days(printed: str, meant: str) -> None:
    """What ``date -u`` prints in American English."""
    assert Clock().seconds(printed) == Clock().seconds(f"{meant}Z")


@pytest.mark.parametrize(
    "printed", ["Wed May  1 13:00:30 PM UTC 2024", "Wed May  1 12:00:30 PM CEST 2024"]
)
def test_times_that_date_does_not_print_in_utc(printed: str) -> None:
    with pytest.raises(ValueError, match="must be 2024"):
        Clock().seconds(printed)


def test_snapshots_of_consumer_groups(tmp_path: Path) -> None:
    """The end offset counts, not the group's own; other lines of the tool are skipped."""
    text = (
        "2024-05-01T12:00:00Z\n\nConsumer group 'billing' has no active members.\n"
        + GROUP.format(90, 100, 5)
        + "2024-05-01T12:01:00Z\n"
        + GROUP.format(155, 160, 65)
        + GROUP.format(50, 155, 60).replace("billing", "audits ")
        + "2024-05-01T12:02:00Z\n"
        + GROUP.format(155, 400, 65)
    )
    trace = loaded(tmp_path, text, "groups.txt")
    assert trace.rates.tolist() == [[1, 1], [4, 0]]
    assert trace.form.startswith("3 snapshots of kafka-consumer-groups --describe")


def test_a_topic_that_looks_like_a_time(tmp_path: Path) -> None:
    text = "1714564800\nOct:0:1714564800\n1714564860\nOct:0:1714564860\n"
    trace = loaded(tmp_path, text, "t.txt")
    assert (trace.partitions, trace.rates.tolist()) == (("Oct/0",), [[1]])


def test_a_partition_without_offset_is_not_there(tmp_path: Path) -> None:
    text = "1714564800\na:0:5\na:1:\n1714564860\na:0:65\na:1:0\n1714564920\na:0:65\na:1:60\n"
    trace = loaded(tmp_path, text, "t.txt")
    assert np.array_equal(trace.rates, np.array([[1, np.nan], [0, 1]]), equal_nan=True)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("orders:0:5\norders:1:6\n", ":1: put a line with its time"),
        (offsets("2024-05-01T12:00:00Z", 5), "two or more snapshots"),
        (offsets("1714564860", 5) + offsets("1714564800", 5), ":3: the time of a snapshot"),
        (offsets("1714564800", 5) + offsets("1714564800", 5), ":3: the time of a snapshot"),
        (offsets("1714564800", 5) + "orders:0:5x\n", ":3: must be topic:partition:offset"),
        (offsets("1714564800", 5) + offsets("2024-13-01T12:00:00Z", 5), ":3: the time must be"),
        (offsets("1714564800", 5) + offsets("Wed May  1 12:00:00 CEST 2024", 5), ":3: the time"),
        ("1714564800\n" + GROUP.format(1, 2, 3) + GROUP.format(1, "x", 3), ":8: must be topic:"),
    ],
)
def test_snapshots_that_are_no_trace(tmp_path: Path, text: str, words: str) -> None:
    message = refusal(tmp_path, text, "t.txt")
    assert words in message
    assert len(message) < 400


LONG = "timestamp,topic,partition,{}\n10,b,0,{}\n10,a,1,{}\n70,b,0,{}\n70,a,1,{}\n"


def test_long_csv_with_topics(tmp_path: Path) -> None:
    trace = loaded(tmp_path, LONG.format("rate", 1, 2, 3, 4))
    assert trace.partitions == ("a/1", "b/0")
    assert trace.rates.tolist() == [[2, 1], [4, 3]]
    # Columns may be in any order, and topics may share partitions.
    trace = loaded(tmp_path, "rate,partition,topic,timestamp\n5,0,a,1\n6,0,b,1\n")
    assert (trace.partitions, trace.rates.tolist()) == (("a/0", "b/0"), [[5, 6]])


def test_long_csv_of_offsets(tmp_path: Path) -> None:
    trace = loaded(tmp_path, LONG.format("offset", 0, 60, 600, 180))
    assert trace.partitions == ("a/1", "b/0")
    assert trace.rates.tolist() == [[2, 10]]
    assert trace.form == "long CSV, offsets turned into rates"
    assert trace.times is not None
    assert trace.times.first == "10"
    trace = loaded(tmp_path, "timestamp,partition,offset\n2024-01-01,0,5\n2024-01-02,0,86405\n")
    assert (trace.partitions, trace.rates.tolist()) == (("0",), [[1]])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("iteration,partition,offset\n1,0,5\n2,0,6\n", "offsets need a column timestamp"),
        ("timestamp,partition,offset\n1,0,5\n1,0,6\n", ":3: duplicate row"),
        ("timestamp,partition,offset\n1,0,5\n2,0,x\n", ":3: offset must be a number"),
        ("timestamp,partition,offset\n1,0,5\n2,0,-1\n", ":3: offset must be a number"),
        ("timestamp,partition,offset\n1,0,5\n", "two or more times"),
        ("timestamp,topic,partition,rate\n1,,0,5\n", ":2: topic must be a name"),
        ("timestamp,topic,partition,rate\n1,a,0,5\n1,a,0,6\n", ":3: duplicate row"),
    ],
)
def test_long_csv_that_is_no_trace(tmp_path: Path, text: str, words: str) -> None:
    assert words in refusal(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "since", "later"),
    [
        ("timestamp,a\n0.1,5\n0.3,6\n", 0.2, "0.3"),
        ("timestamp,a\n1714564800,5\n1714564830,6\n", 30, "1714564830"),
        ("timestamp,a\n2024-05-01T12:00:00Z,5\n2024-05-01T12:00:30Z,6\n", 30,
         "2024-05-01T12:00:30Z"),
        ("timestamp,a\n2024-05-01,5\n2024-05-02,6\n", 86400, "2024-05-02T00:00:00"),
        ("iteration,a\n7,5\n9,6\n", 2, "9"),
    ],
)  # fmt: skip
def test_times_are_written_as_the_file_has_them(
    tmp_path: Path, text: str, since: float, later: str
) -> None:
    times = loaded(tmp_path, text).times
    assert times is not None
    assert times.at[1] == since
    assert writer(times)(since) == later
