"""Why a look is not complete, in one line each with its remedy."""

from __future__ import annotations

from collections.abc import Sequence

from confluent_kafka import KafkaError, KafkaException

from pipeline.base.text.printable import printable

_RIGHTS = {
    KafkaError.TOPIC_AUTHORIZATION_FAILED: "topic",
    KafkaError.GROUP_AUTHORIZATION_FAILED: "group",
}
_ABSENT_TOPIC = (KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError.TOPIC_EXCEPTION)
_ABSENT_GROUP = (KafkaError.GROUP_ID_NOT_FOUND,)
_MOST_NAMED = 3


def listed(partitions: Sequence[int]) -> str:
    """Some of a topic's partitions."""
    names = ", ".join(map(str, partitions[:_MOST_NAMED])) or "any"
    more = len(partitions) - _MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"partition{'s' * (len(partitions) > 1)} {names}{rest}"


def no_group(group: str) -> str:
    """A group that the brokers do not know."""
    return f"group {group!r} does not exist; start a member, or correct `group`"


def no_leader(topic: str, partitions: Sequence[int]) -> str:
    """A topic without partitions, or with partitions that have no leader."""
    return f"topic {topic!r} has no leader of {listed(partitions)}; start its broker"


def no_answer(what: str, brokers: Sequence[int], seconds: float) -> str:
    """Offsets that did not arrive in time, although all partitions have a leader."""
    return (
        f"no {what} within {seconds:g} s; start broker {', '.join(map(str, brokers))}, or let it "
        "be reached at its advertised address"
    )


def reason(error: Exception, topic: str, group: str, fault: str, seconds: float) -> str:
    """What a client's error means.

    topic, group: What was asked about.
    fault: What the clients know of brokers that do not answer.
    seconds: Time that they had.
    """
    inner = error.args[0] if isinstance(error, KafkaException) and error.args else None
    code = inner.code() if isinstance(inner, KafkaError) else None
    if code in _RIGHTS:
        kind = _RIGHTS[code]
        name = topic if kind == "topic" else group
        return (
            f"no permission to describe {kind} {name!r}; the user needs the right Describe on it "
            f"(kafka-acls --add --operation Describe --{kind} {name})"
        )
    if code in _ABSENT_TOPIC:
        return f"topic {topic!r} does not exist; create it, or correct `topic`"
    if code in _ABSENT_GROUP:
        return no_group(group)
    if fault:
        return fault
    text = printable(inner.str()) if isinstance(inner, KafkaError) else ""
    return f"no broker answers within {seconds:g} s{f' ({text})' if text else ''}"
