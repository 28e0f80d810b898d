"""The controller's knowledge as records of topic `state`, which is compacted by key."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from live.protocol.group_knowledge import (
    CONSUMER,
    CONTROLLER,
    PARTITION,
    PLAN,
    GroupState,
    Key,
    Member,
    PartitionState,
    Phase,
    Status,
    unused,
)
from live.protocol.plan_report import NOBODY, Launch, Move, Plan

VERSION = 1
"""Version of the records, field ``v``."""

Record = tuple[bytes, bytes | None]
"""Key and value: such as ``partition/3``, ``consumer/7`` or ``plan/12``, and JSON.

A value None removes the key: the plan is forgotten.
"""


def changed_records(state: GroupState) -> tuple[Record, ...]:
    """Records of what differs from topic `state`; it counts as written from now on."""
    records = tuple(_record(state, key) for key in state.changed)
    state.changed.clear()
    return records


def _record(state: GroupState, key: Key) -> Record:
    kind, number = key
    name = f"{kind}/{number}".encode()
    if kind == PLAN and number not in state.plans:
        return name, None
    content = {"v": VERSION, **_CONTENTS[kind](state, number)}
    text = json.dumps(content, default=_fields, separators=(",", ":"))
    return name, text.encode()


def _of_partition(state: GroupState, number: int) -> dict[str, Any]:
    partition = state.partitions[number]
    return {
        "phase": partition.phase,
        "owner": partition.owner,
        "epoch": partition.epoch,
        "offset": partition.offset,
        "plan": partition.plan,
        "source": NOBODY if partition.move is None else partition.move.source,
    }


def _of_consumer(state: GroupState, number: int) -> dict[str, Any]:
    member = state.members[number]
    return {"incarnation": member.incarnation, "status": member.status, "tries": member.tries}


def _of_plan(state: GroupState, number: int) -> dict[str, Any]:
    return _fields(state.plans[number])


def _fields(item: Plan | Move | Launch) -> dict[str, Any]:
    return {field: getattr(item, field) for field in item.__slots__}


def _of_controller(state: GroupState, number: int) -> dict[str, Any]:
    return {"holder": state.holder}


_CONTENTS = {
    PARTITION: _of_partition,
    CONSUMER: _of_consumer,
    PLAN: _of_plan,
    CONTROLLER[0]: _of_controller,
}


def consumer_key(consumer: int) -> bytes:
    """Key of a consumer's record."""
    return f"{CONSUMER}/{consumer}".encode()


def consumer_of(key: bytes) -> int | None:
    """Consumer whose record has a key; None if it is another record.

    >>> consumer_of(consumer_key(7)), consumer_of(b"plan/7")
    (7, None)
    """
    kind, _, number = key.decode().partition("/")
    return int(number) if kind == CONSUMER else None


def is_used(value: bytes | None) -> bool:
    """Whether a consumer's record says that the consumer may own partitions, or will."""
    return value is not None and _content(b"consumer", value)["status"] != Status.GONE


def asked_incarnation(value: bytes | None) -> int | None:
    """Incarnation that a consumer's record asks for; None if the consumer need not be started."""
    if value is None:
        return None
    content = _content(b"consumer", value)
    return int(content["incarnation"]) if content["status"] == Status.ASKED else None


def holder(records: Iterable[Record]) -> str:
    """Name of the controller that has written last; empty if there was none."""
    return _holder(_latest(records))


def restored_state(
    partitions: int,
    records: Iterable[Record],
    offsets: Mapping[int, int],
    now: float,
) -> GroupState:
    """The knowledge of a controller, from topic `state`.

    records: Keys and values in the order of the topic; of equal keys, the last counts.
    offsets: Where partitions begin that have no record, by partition; 0 where left out.
    now: The present time, seconds; consumers count as seen now.
    """
    state = unused(partitions, offsets)
    latest = _latest(records)
    state.holder = _holder(latest)
    for number, content in sorted(latest[PLAN].items()):
        state.plans[number] = _plan(content)
    for number, content in latest[CONSUMER].items():
        status = Status(content.pop("status"))
        state.members[number] = Member(number, status=status, sign_s=now, **content)
    for number, content in latest[PARTITION].items():
        state.partitions[number] = _partition(state, number, content)
    return state


def _holder(latest: Mapping[str, Mapping[int, Mapping[str, Any]]]) -> str:
    kind, number = CONTROLLER
    return str(latest[kind].get(number, {}).get("holder", ""))


def _latest(
    records: Iterable[Record],
) -> dict[str, dict[int, dict[str, Any]]]:
    latest: dict[str, dict[int, dict[str, Any]]] = {kind: {} for kind in _CONTENTS}
    for key, value in dict(records).items():
        kind, _, number = key.decode().partition("/")
        if kind not in latest:
            raise ValueError(f"topic state has a record with the unknown key {key!r}")
        if value is not None:
            latest[kind][int(number)] = _content(key, value)
    return latest


def _content(key: bytes, value: bytes) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(value)
    if content.pop("v", None) != VERSION:
        raise ValueError(f"topic state: record {key!r} is not of version {VERSION}")
    return content


def _plan(content: dict[str, Any]) -> Plan:
    content["wanted"], content["order"] = tuple(content["wanted"]), tuple(content["order"])
    content["moves"] = [Move(**move) for move in content["moves"]]
    content["launches"] = [Launch(**launch) for launch in content["launches"]]
    return Plan(**content)


def _partition(state: GroupState, number: int, content: dict[str, Any]) -> PartitionState:
    phase, source = Phase(content.pop("phase")), content.pop("source")
    partition = PartitionState(number, phase, **content)
    plan = state.plans.get(partition.plan)
    if phase in (Phase.FREE, Phase.STOPPING):
        partition.move = Move(number, source)
    elif plan is not None:
        partition.move = plan.move_of(number, partition.epoch)
    return partition
