"""What people save of Kafka's tools: noise between snapshots, ids with blanks, other tables."""

# ruff: noqa: E501

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.inputs.traces.recorded_group import NO_MEMBER, RecordedGroup
from tests.pipeline.inputs.traces.trace_files import loaded, refusal

pytestmark = pytest.mark.unit

FIRST, SECOND = "2026-03-02T08:00:00Z\n", "2026-03-02T08:01:00Z\n"

NOISE = [
    "Picked up JAVA_TOOL_OPTIONS: -Xmx256m",
    "NOTE: Picked up JDK_JAVA_OPTIONS:  -Xmx1g",
    'Defaulted container "kafka" out of: kafka, exporter',
    "Error: Executing consumer group command failed due to timed out\n"
    "java.util.concurrent.ExecutionException: org.apache.kafka.common.errors.TimeoutException\n"
    "\tat java.base/java.util.concurrent.CompletableFuture.reportGet(CompletableFuture.java:396)\n"
    "Caused by: org.apache.kafka.common.errors.TimeoutException: Timed out\n\t... 12 more",
    "Java HotSpot(TM) 64-Bit Server VM warning: Options -Xverify:none were deprecated",
    "Unable to use a TTY - input is not a terminal or the right kind of file",
    "main ERROR Unable to locate appender for logger config",
    'Exception in thread "main" java.lang.OutOfMemoryError: Java heap space',
    "Terminated",
    "-----",
    "=== orders, second day ===",
    "2026-03-02 08:00:01 WARN [AdminClient] node 1 disconnected",
    "[2026-03-02 08:00:01,123] WARN Connection to node -1 (kafka/10.0.0.1:9092) failed",
    "command terminated with exit code 137",
    "mesg: ttyname failed: Inappropriate ioctl for device",
    "kafka:9092: connection refused",
    "log4j:WARN No appenders could be found",
    "Pod kafka-0 is restarting 3 4",
]


@pytest.mark.parametrize("noise", NOISE)
def test_noise_is_skipped_and_counted(tmp_path: Path, noise: str) -> None:
    text = f"{FIRST}{noise}\nparcels:0:100\n{SECOND}parcels:0:220\n{noise}\n"
    trace = loaded(tmp_path, text, "offsets.txt")
    assert trace.rates.tolist() == [[2.0]]
    many = 2 * noise.count("\n") + 2
    assert f"{many} lines are neither a time nor offsets and skipped (first line 2)." in trace.notes
    assert loaded(tmp_path, f"{noise}\n{text}").rates.tolist() == [[2.0]]


@pytest.mark.parametrize(
    "line",
    [
        "parcels:0:12x",
        "parcels:x:12",
        "parcels:0:1 2",
        "parcels:0:-12",
        "parcels:0:1e5",
        "parcels 1:0:12",
        "2026-13-02T08:00:30Z",
        "02/03/2026 08:00:30",
        "1772438430 1",
    ],
)
def test_what_is_almost_a_line_of_a_snapshot_is_no_noise(tmp_path: Path, line: str) -> None:
    message = refusal(tmp_path, f"{FIRST}parcels:0:100\n{line}\n{SECOND}parcels:0:220\n")
    assert message.startswith(":3: ")


def test_times_that_are_not_read_do_not_join_snapshots(tmp_path: Path) -> None:
    text = (
        f"{FIRST}parcels:0:100\nlundi 2 mars, huit heures\nparcels:0:220\n{SECOND}parcels:0:300\n"
    )
    message = refusal(tmp_path, text)
    assert ":4: a partition occurs twice in one snapshot" in message
    assert "line 3 is none" in message


def test_a_time_may_be_written_twice(tmp_path: Path) -> None:
    text = "2026-03-02T08:00:00Z\nMon Mar  2 08:00:00 UTC 2026\nparcels:0:100\n"
    assert loaded(tmp_path, text + "2026-03-02T08:01:00Z\nparcels:0:220\n").rates.tolist() == [
        [2.0]
    ]


def test_a_time_before_each_offset(tmp_path: Path) -> None:
    """As `ts` writes it."""
    text = "".join(
        f"2026-03-02T08:0{k}:00Z parcels:{j}:{120 * k}\n" for k in range(3) for j in range(2)
    )
    assert loaded(tmp_path, text).rates.tolist() == [[2.0, 2.0]] * 2


@pytest.mark.parametrize(
    "end", ["parcels:0:24", "parcels:0", "parcels:0:", "2026-03-02T08:", "par"]
)
def test_a_file_that_is_cut_short(tmp_path: Path, end: str) -> None:
    """The digits that are missing make no reset."""
    text = f"{FIRST}parcels:0:100\n{SECOND}parcels:0:220\n2026-03-02T08:02:00Z\n{end}"
    trace = loaded(tmp_path, text)
    assert trace.rates.tolist() == [[2.0]]
    assert trace.notes or end == "parcels:0:"


HEAD = "GROUP  TOPIC    PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST        CLIENT-ID"
OLD = "TOPIC    PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG  CONSUMER-ID  HOST  CLIENT-ID"
EPOCH = "GROUP TOPIC PARTITION LEADER-EPOCH CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID"
RPK = "TOPIC  PARTITION  CURRENT-OFFSET  LOG-START-OFFSET  LOG-END-OFFSET  LAG  MEMBER-ID  CLIENT-ID  HOST"


def two(head: str, row: str) -> str:
    """Two snapshots with a row each, whose end offset goes from 100 to 220."""
    return "".join(
        f"{time}\n{head}\n{row.format(end)}\n" for time, end in ((FIRST, 100), (SECOND, 220))
    )


@pytest.mark.parametrize(
    ("head", "row", "member", "host"),
    [
        (HEAD, "depot  parcels  0  90  {}  10  c1-5b1d  /10.20.0.4  depot reader 1", "c1-5b1d", "10.20.0.4"),
        (HEAD, "depot  parcels  0  90  {}  10  my id 7-5b1d /10.20.0.4 my id 7", "my id 7-5b1d", "10.20.0.4"),
        (HEAD, "my group 2 parcels 0 90 {} 10 c1 /10.20.0.4 c", "c1", "10.20.0.4"),
        (HEAD, "depot  parcels  0  -   {}  -   -  -  -", None, None),
        (HEAD, "depot  parcels  0  90  {}  10", None, None),
        (HEAD, "depot  parcels  0  unknown  {}  unknown  c1  /h  c", "c1", "h"),
        (OLD, "parcels 0 90 {} 10 c1 /10.20.0.4 depot", "c1", "10.20.0.4"),
        (EPOCH, "depot parcels 0 3 90 {} 10 c1 /10.20.0.4 depot", "c1", "10.20.0.4"),
        (EPOCH, "depot parcels 0 - 90 {} 10 c1 /10.20.0.4 depot", "c1", "10.20.0.4"),
        (RPK, "parcels  0  90  0  {}  10  c1  depot  10.20.0.4", "c1", "10.20.0.4"),
        (HEAD.replace("CONSUMER-ID", "OWNER"), "depot parcels 0 90 {} 10 c1 /h c", "c1", "h"),
    ],
)  # fmt: skip
def test_rows_of_groups(
    tmp_path: Path, head: str, row: str, member: str | None, host: str | None
) -> None:
    trace = loaded(tmp_path, two(head, row), "groups.txt")
    assert (trace.partitions, trace.rates.tolist()) == (("parcels/0",), [[2.0]])
    assert trace.group is not None
    assert trace.group.members == (() if member is None else (member,))
    assert trace.group.hosts == (() if host is None else (host,))


def test_an_end_offset_that_is_unknown_is_bridged(tmp_path: Path) -> None:
    text = two(HEAD, "depot parcels 0 90 {} 10 c1 /h c")
    text += f"2026-03-02T08:02:00Z\n{HEAD}\ndepot parcels 0 90 unknown unknown c1 /h c\n"
    text += f"2026-03-02T08:03:00Z\n{HEAD}\ndepot parcels 0 90 460 10 c1 /h c\n"
    assert loaded(tmp_path, text).rates.tolist() == [[2.0], [2.0], [2.0]]


RPK_GROUP = f"""GROUP        depot
COORDINATOR  1
STATE        Stable
BALANCER     range
MEMBERS      2
TOTAL-LAG    10

{RPK}
parcels  1  80  0  {{0}}  10  c2  depot  10.0.0.2
parcels  0  90  0  {{1}}  10  c1  depot  10.0.0.1
"""


def test_the_table_of_rpk(tmp_path: Path) -> None:
    text = FIRST + RPK_GROUP.format(100, 100) + SECOND + RPK_GROUP.format(160, 220)
    trace = loaded(tmp_path, text)
    assert trace.rates.tolist() == [[2.0, 1.0]]
    assert trace.notes == ()
    assert trace.group is not None
    assert trace.group.name == "depot"
    assert trace.group.committed.tolist() == [[90, 80], [90, 80]]


GROUP = f"""{HEAD}
depot  parcels  1  {{0}}  {{1}}  5  c2  /10.0.0.2  c
depot  parcels  0  {{2}}  {{3}}  5  c1  /10.0.0.1  c
depot  letters  0  -   50  -  -  -  -
depot  -        -  -   -   -  c3  /10.0.0.3  c
"""


def group(folder: Path, text: str) -> RecordedGroup | None:
    return loaded(folder, text, "groups.txt").group


def test_the_group_of_today(tmp_path: Path) -> None:
    second = GROUP.format(215, 220, 155, 160).replace("c2  /10.0.0.2", "c1  /10.0.0.1")
    today = group(tmp_path, FIRST + GROUP.format(95, 100, 90, 100) + SECOND + second)
    assert today is not None
    assert (today.name, today.partitions) == ("depot", ("letters/0", "parcels/0", "parcels/1"))
    assert today.times.tolist() == [1_772_438_400.0, 1_772_438_460.0]
    np.testing.assert_array_equal(today.committed, [[np.nan, 90, 95], [np.nan, 155, 215]])
    np.testing.assert_array_equal(today.ends, [[50, 100, 100], [50, 160, 220]])
    np.testing.assert_array_equal(today.lag, [[np.nan, 10, 5], [np.nan, 5, 5]])
    assert today.members == ("c2", "c1", "c3")
    assert today.hosts == ("10.0.0.2", "10.0.0.1", "10.0.0.3")
    assert today.owners.tolist() == [[NO_MEMBER, 1, 0], [NO_MEMBER, 1, 1]]
    assert [today.members_at(k) for k in (0, 1)] == [2, 1]


def test_of_several_groups_none_is_todays(tmp_path: Path) -> None:
    text = FIRST + GROUP.format(95, 100, 90, 100) + SECOND + GROUP.format(215, 220, 155, 160)
    other = GROUP.format(95, 100, 90, 100).replace("depot", "audit")
    assert group(tmp_path, text.replace(SECOND, other + SECOND)) is None
    tables = text.replace("depot  ", "").replace("GROUP  ", "")
    assert group(tmp_path, tables) is not None
    again = GROUP.format(95, 100, 90, 100).replace("depot  ", "").replace("GROUP  ", "")
    assert group(tmp_path, tables.replace(SECOND, again + SECOND)) is None
    assert group(tmp_path, f"{FIRST}parcels:0:100\n{SECOND}parcels:0:220\n") is None


def test_the_first_table_may_come_late(tmp_path: Path) -> None:
    quiet = "\nConsumer group 'night-{}' has no active members.\n"
    text = FIRST + "".join(map(quiet.format, range(200))) + GROUP.format(95, 100, 90, 100)
    text += SECOND + GROUP.format(95, 220, 90, 160)
    assert len(text.split(HEAD)[0]) > 8_000
    trace = loaded(tmp_path, text)
    assert trace.rates.tolist() == [[0.0, 1.0, 2.0]]
    logged = "[2026-03-02 08:00:00,001] WARN Couldn't resolve server\n" * 100
    assert loaded(tmp_path, logged + text).rates.tolist() == [[0.0, 1.0, 2.0]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("GROUP  CONSUMER-ID  HOST  CLIENT-ID  #PARTITIONS\ndepot  c1  /10.0.0.4  c  3\n", "--members"),
        ("GROUP  COORDINATOR (ID)  ASSIGNMENT-STRATEGY  STATE  #MEMBERS\ndepot  k:1 (1)  range  Stable  3\n", "--state"),
        ("GROUP  TYPE  PROTOCOL  STATE\ndepot  Classic  consumer  Stable\n", "--list"),
        ("depot  parcels  0  90  100  10  c1  /10.0.0.4  c\n", "without its header"),
        ("parcels 0 90 100 10\n", "without its header"),
        ("GROUP, TOPIC, PARTITION, CURRENT OFFSET, LOG END OFFSET, LAG, OWNER\ndepot, parcels, 0, 90, 100, 10, c1\n", "commas"),
        ("parcels:0:100,50\nparcels:1:90,20\n", "several offsets of a partition"),
        ("Topic: parcels\tTopicId: x\tPartitionCount: 3\n", "kafka-topics --describe"),
        ("parcels [0] offset 100\n", "kcat"),
        ("GROUP  TOPIC  PARTITION  START-OFFSET  LAG\ndepot parcels 0 5 3\n", "without the column LOG-END-OFFSET"),
        ("PARTITION  LEADER  EPOCH  REPLICAS  LOG-START-OFFSET  HIGH-WATERMARK\n0 1 2 [1] 0 100\n", "without the column"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "before", ["", FIRST, "Picked up JAVA_TOOL_OPTIONS: -Xmx256m\n" * 300 + FIRST]
)
def test_tables_of_kafka_that_have_no_end_offsets(
    tmp_path: Path, text: str, words: str, before: str
) -> None:
    message = refusal(tmp_path, before + text, "t.txt")
    assert words in message
    assert message.startswith(f":{before.count(chr(10)) + 1}: ")
