"""Messages survive encoding, and nothing but valid ones is decoded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from live.protocol.message_checks import (
    MAX_CONSUMERS,
    MAX_COUNT,
    MAX_NUMBER,
    MAX_PARTITIONS,
    InvalidMessage,
)
from live.protocol.messages import (
    MAX_BYTES,
    Beat,
    Bye,
    End,
    Hello,
    Measurement,
    Message,
    PartitionEpoch,
    PartitionOffset,
    Received,
    Start,
    Started,
    Stop,
    Stopped,
    decode,
    encode,
    kind_of,
)

pytestmark = pytest.mark.unit

NUMBERS = st.integers(1, MAX_NUMBER)
COUNTS = st.integers(0, MAX_COUNT)
PARTITIONS = st.integers(0, MAX_PARTITIONS - 1)
PROCESS = (st.integers(0, MAX_CONSUMERS - 1), NUMBERS)


def lists(row: Any) -> Any:
    return st.lists(row, min_size=1, max_size=20, unique_by=lambda item: item.partition).map(tuple)


EPOCHS = lists(st.builds(PartitionEpoch, PARTITIONS, NUMBERS))
OFFSETS = lists(st.builds(PartitionOffset, PARTITIONS, NUMBERS, COUNTS))
SPEEDS = st.dictionaries(PARTITIONS, st.floats(0, 1e15))

MESSAGES: st.SearchStrategy[Message] = st.one_of(
    st.builds(Measurement, COUNTS, st.floats(0, 1e9), SPEEDS),
    st.builds(Stop, NUMBERS, NUMBERS, EPOCHS),
    st.builds(Start, NUMBERS, NUMBERS, OFFSETS),
    st.builds(End, NUMBERS),
    st.builds(Hello, *PROCESS, NUMBERS, COUNTS),
    st.builds(Stopped, *PROCESS, NUMBERS, OFFSETS),
    st.builds(Started, *PROCESS, NUMBERS, EPOCHS),
    st.builds(Beat, *PROCESS, st.dictionaries(PARTITIONS, NUMBERS), COUNTS),
    st.builds(Bye, *PROCESS),
)

START = Start(2, 7, (PartitionOffset(0, 3, 40), PartitionOffset(5, 1, 0)))


def content(message: Message, **changes: Any) -> dict[str, Any]:
    fields = json.loads(encode(message, at_ns=9))
    fields.update(changes)
    return {name: value for name, value in fields.items() if value is not None}


def refused(fields: object) -> InvalidMessage:
    with pytest.raises(InvalidMessage) as error:
        decode(json.dumps(fields).encode())
    return error.value


@given(MESSAGES, COUNTS)
def test_messages_survive_encoding(message: Message, at_ns: int) -> None:
    assert decode(encode(message, at_ns)) == Received(message, at_ns)


@given(MESSAGES, st.data())
def test_damaged_messages_are_decoded_or_refused(message: Message, data: st.DataObject) -> None:
    encoded = bytearray(encode(message, at_ns=9))
    place = data.draw(st.integers(0, len(encoded) - 1))
    encoded[place] = data.draw(st.integers(0, 255))
    try:
        received = decode(bytes(encoded))
    except InvalidMessage:
        return
    assert decode(encode(*received)) == received


@given(st.binary(max_size=200))
def test_noise_is_refused(noise: bytes) -> None:
    with pytest.raises(InvalidMessage):
        decode(noise)


def test_the_form_is_that_of_the_contract() -> None:
    assert json.loads(encode(START, at_ns=9)) == {
        "v": 1,
        "kind": "start",
        "at_ns": 9,
        "incarnation": 2,
        "plan": 7,
        "partitions": [
            {"partition": 0, "epoch": 3, "offset": 40},
            {"partition": 5, "epoch": 1, "offset": 0},
        ],
    }
    assert kind_of(START) == "start"


def test_a_message_about_all_partitions_fits() -> None:
    rows = tuple(PartitionOffset(p, MAX_NUMBER, MAX_COUNT) for p in range(MAX_PARTITIONS))
    encoded = encode(Stopped(49, MAX_NUMBER, MAX_NUMBER, rows), MAX_COUNT)
    assert len(encoded) < 20_000 < MAX_BYTES
    decode(encoded)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"v": 2}, "v"),
        ({"v": True}, "v"),
        ({"v": None}, "v"),
        ({"kind": "strat"}, "kind"),
        ({"kind": ["start"]}, "kind"),
        ({"at_ns": -1}, "at_ns"),
        ({"at_ns": 1.0}, "at_ns"),
        ({"incarnation": True}, "incarnation"),
        ({"incarnation": 0}, "incarnation"),
        ({"incarnation": "2"}, "incarnation"),
        ({"plan": 2**31}, "plan"),
        ({"plan": None}, "message"),
        ({"speed": 1}, "message"),
        ({"partitions": []}, "partitions"),
        ({"partitions": {}}, "partitions"),
        ({"partitions": [[0, 3, 40]]}, "partitions[0]"),
        ({"partitions": [{"partition": 0, "epoch": 1}]}, "partitions[0]"),
        ({"partitions": [{"partition": 200, "epoch": 1, "offset": 0}]}, "partitions[0].partition"),
        ({"partitions": [{"partition": 0, "epoch": 0, "offset": 0}]}, "partitions[0].epoch"),
        ({"partitions": [{"partition": 0, "epoch": 1, "offset": -1}]}, "partitions[0].offset"),
        ({"partitions": [{"partition": 0, "epoch": 1, "offset": 0}] * 2}, "partitions"),
    ],
)
def test_errors_name_the_field(changes: dict[str, Any], field: str) -> None:
    assert refused(content(START, **changes)).field == field


@pytest.mark.parametrize(
    ("speeds", "field"),
    [
        ({"0": -1.0}, "speeds.0"),
        ({"0": True}, "speeds.0"),
        ({"0": "1"}, "speeds.0"),
        ({"0": float("nan")}, "speeds.0"),
        ({"0": float("inf")}, "speeds.0"),
        ({"0": 10**400}, "speeds.0"),
        ({"200": 1.0}, "speeds"),
        ({"-1": 1.0}, "speeds"),
        ({"01": 1.0}, "speeds"),
        ({"²": 1.0}, "speeds"),
        ({"": 1.0}, "speeds"),
        ([1.0], "speeds"),
    ],
)
def test_speeds_are_checked(speeds: object, field: str) -> None:
    message = Measurement(1, 3.0, {0: 1.0})
    assert refused(content(message, speeds=speeds)).field == field


def test_integers_are_speeds_too() -> None:
    fields = content(Measurement(1, 3.0, {0: 1.0}), span_s=3, speeds={"0": 1})
    assert decode(json.dumps(fields).encode()).message == Measurement(1, 3.0, {0: 1.0})


@pytest.mark.parametrize("consumer", [-1, 50, None, 1.5])
def test_consumers_have_a_partition_of_commands(consumer: object) -> None:
    fields = content(Bye(1, 1), consumer=consumer)
    assert refused(fields).field in ("consumer", "message")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"1",
        b"null",
        b"{",
        b"\xff",
        b'{"v":1,"v":1}',
        b"[" * 50_000,
        b" " * (MAX_BYTES + 1),
        b'{"v":' + b"1" * 5000 + b"}",
    ],
)
def test_what_is_not_an_object_is_refused(data: bytes) -> None:
    with pytest.raises(InvalidMessage):
        decode(data)


def test_errors_are_sentences_of_limited_length() -> None:
    error = refused(content(START, plan=-7))
    assert str(error) == "`plan` must be an integer between 1 and 2,147,483,647 (got -7)"
    assert (error.field, error.value) == ("plan", -7)
    assert len(str(refused(content(START, plan="x" * 90_000)))) < 200
    assert len(str(refused(content(START, plan=10**4000)))) < 200


def test_speeds_that_are_not_finite_are_never_sent() -> None:
    with pytest.raises(ValueError, match="Out of range"):
        encode(Measurement(1, 3.0, {0: float("nan")}), at_ns=0)
