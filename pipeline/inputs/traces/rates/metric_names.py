"""What the name of a metric says about its samples: the one place where names are read.

A name is split into words, at marks, at capitals, and where it runs known words together, as the
JMX exporter does: ``logendoffset``. So ``corporate`` has no *rate* in it, and ``flagged`` no *lag*.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

MESSAGES, BYTES, UNKNOWN = "messages/s", "bytes/s", "per second"
"""Units of rates."""


class Kind(Enum):
    """What the samples of a metric are."""

    OFFSETS = "end offsets"
    COUNTS = "a counter of what is written"
    RATES = "rates of writing"
    UNKNOWN = "not said by the name"
    START = "start offsets"
    READ = "of what consumers read"
    LAG = "a lag"
    SIZE = "the size of what is stored"
    SCALED = "rates in another unit"
    OTHER = "of something else"


class Meaning(NamedTuple):
    """What a name says."""

    kind: Kind
    """What the samples are."""
    unit: str
    """Unit of the rates, as far as the name says."""


_END_OFFSETS = (
    "query the end offsets, such as kafka_topic_partition_current_offset or "
    "kafka_log_log_logendoffset"
)

REFUSED = {
    Kind.START: f"the metric is the start offset of partitions, which moves when Kafka deletes "
    f"messages; {_END_OFFSETS}",
    Kind.READ: "the metric is what consumers read (committed offsets or reads), which is never "
    f"above their capacity; {_END_OFFSETS}",
    Kind.LAG: f"the metric is a lag, and no rate follows from it; {_END_OFFSETS}",
    Kind.SIZE: "the metric is the size of stored data, which also falls when Kafka deletes "
    f"messages; {_END_OFFSETS}",
    Kind.SCALED: "the metric's rates are not in messages or bytes per second; scale them in the "
    "query, such as by / 60 for rates per minute, / 8 for bits, * 1000 for kB",
    Kind.OTHER: f"the metric is not about what is written; {_END_OFFSETS}",
}
"""Why no trace follows from a metric of a kind, and what to do, for messages."""

_VOCABULARY = frozenset(
    {
        "age", "average", "avg", "begin", "beginning", "bit", "bits", "brokertopic", "burrow",
        "byte", "bytes", "commit", "commits", "committed", "consumed", "consumer",
        "consumergroup", "consumers", "consumption", "count", "counter", "current", "day",
        "delay", "deriv", "earliest", "end", "exporter", "fetch", "fifteen", "first", "five",
        "gb", "gbps", "gigabytes", "group", "groups", "high", "hour", "in", "increase", "irate",
        "isr", "kafka", "kb", "kbps", "kilobytes", "lag", "lags", "last", "latency", "latest",
        "lead", "leader", "log", "logs", "low", "mark", "max", "mb", "mbps", "mean", "megabytes",
        "member", "members", "message", "messages", "meter", "min", "minute", "minutes", "ms",
        "msg", "msgs", "newest", "num", "number", "of", "offset", "offsets", "oldest", "one",
        "out", "partition", "partitions", "per", "persec", "produced", "queue", "rate", "rates",
        "read", "received", "record", "records", "replica", "replicas", "retained", "sec",
        "second", "seconds", "segments", "sent", "size", "stable", "start", "state", "status",
        "sum", "sync", "time", "timestamp", "topic", "topics", "total", "uptime", "usage", "used",
        "water", "watermark", "written",
    }
)  # fmt: skip
"""Words that names run together; those that only begin others, such as ``s``, are not here."""

_PHRASES = (
    ("lag exporter", ""),
    ("water mark", "watermark"),
    ("back log", "backlog"),
    ("consumer group", "consumergroup"),
    *((f"per {word}", "rate") for word in ("second", "seconds", "sec", "s")),
    ("persec", "rate"),
    *((f"{word} minute rate", "rate") for word in ("one", "five", "fifteen")),
)
"""Phrases that are one word in what follows: the second one."""

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_LONGEST = 64
"""Letters of a part that is searched for words that run together."""

_LAG = frozenset({"lag", "lags"})
_WAITING = frozenset(
    {
        "backlog", "behind", "depth", "outstanding", "pending", "queue", "queued", "remaining",
        "uncommitted", "unconsumed", "unread",
    }
)  # fmt: skip
"""Words for what waits to be read, in names of neither offsets nor rates nor counters."""

_OFFSET = frozenset({"offset", "offsets", "watermark"})
_START = frozenset({"begin", "beginning", "earliest", "first", "low", "minimum", "oldest", "start"})
_END = frozenset({"end", "high", "last", "latest", "newest"})
_GROUP = frozenset({"consumergroup", "group", "groups"})
_READ = frozenset({"committed", "commit", "commits", "consumed", "consumption"})
_READERS = frozenset({"consumer", "consumers"})
_OUT = frozenset({"fetch", "out", "read", "sent"})
_AMOUNT = frozenset(
    {"byte", "bytes", "event", "events", "message", "messages", "msg", "msgs", "record", "records"}
)
_BYTES = frozenset({"byte", "bytes"})
_RATE = frozenset({"deriv", "eps", "irate", "mps", "qps", "rate", "rates", "rps", "throughput"})
_SIZE = frozenset({"disk", "logsize", "retained", "size", "sizes", "stored", "usage", "used"})
_CHANGE = frozenset({"delta", "growth", "idelta"})
"""Words for the change since the last sample, where they follow what is counted."""
_LARGE = frozenset({"gb", "gigabytes", "kb", "kib", "kilobytes", "mb", "megabytes", "mib"})
_BITS = frozenset({"bit", "bits", "bps", "gbps", "kbps", "mbps"})
_LONG = frozenset({"day", "h", "hour", "min", "minute", "ms"})
_STATES = frozenset(
    {
        "age", "delay", "isr", "latency", "lead", "leader", "member", "members", "ms", "rebalance",
        "rebalances", "replica", "replicas", "replicated", "retention", "seconds", "segments",
        "state", "status", "sync", "time", "timestamp", "uptime",
    }
)  # fmt: skip
_TOTALS = frozenset({"count", "counter", "sum", "total"})


def words_of(name: str) -> tuple[str, ...]:
    """Words of a metric's name, in lower case.

    >>> words_of("kafka_log_Log_LogEndOffset_Value")
    ('kafka', 'log', 'log', 'log', 'end', 'offset', 'value')
    >>> words_of("corporate_aws_sumoffsetlag")
    ('corporate', 'aws', 'sum', 'offset', 'lag')
    """
    return tuple(word for part in _WORDS.findall(name) for word in _split(part.lower()))


@lru_cache(maxsize=1000)
def _split(part: str) -> tuple[str, ...]:
    """Known words that a part consists of, as few as possible; the part itself if it does not."""
    if len(part) > _LONGEST:
        return (part,)
    best: list[tuple[str, ...] | None] = [(), *[None] * len(part)]
    for end in range(1, len(part) + 1):
        for begin in range(end):
            before, word = best[begin], part[begin:end]
            if before is None or word not in _VOCABULARY:
                continue
            words, fewest = (*before, word), best[end]
            if fewest is None or len(words) < len(fewest):
                best[end] = words
    return best[-1] or (part,)


def meaning(name: str, has_group: bool = False) -> Meaning:
    """What a metric's name says about its samples.

    name: Name of the metric; empty if it is not known.
    has_group: Whether labels name a consumer group.

    >>> meaning("kafka_topic_partition_current_offset").kind.name
    'OFFSETS'
    >>> meaning("topic:bytes_in:rate5m")
    Meaning(kind=<Kind.RATES: 'rates of writing'>, unit='bytes/s')
    """
    words = _joined(words_of(name))
    own = frozenset(words)
    kind = _kind(words, own, has_group)
    return Meaning(Kind.READ if has_group and kind is Kind.UNKNOWN else kind, _unit(own))


def _joined(words: Sequence[str]) -> tuple[str, ...]:
    """Words in which phrases of several words are one."""
    text = f" {' '.join(words)} "
    for phrase, word in _PHRASES:
        text = text.replace(f" {phrase} ", f" {word} ".replace("  ", " "))
    return tuple(text.split())


def _kind(words: tuple[str, ...], own: frozenset[str], has_group: bool) -> Kind:
    """What is counted comes first, then whether it is a rate, an offset or a counter."""
    if own & _LAG:
        return Kind.LAG
    offset = max((place for place, word in enumerate(words) if word in _OFFSET), default=None)
    if offset is not None and _is_start(words, offset):
        return Kind.START
    if _is_read(words, own, offset is not None, has_group):
        return Kind.READ
    if _is_scaled(words, own):
        return Kind.SCALED
    if own & _RATE and words[-1] not in _TOTALS:
        is_prefix = offset is not None and not _RATE & set(words[offset:])
        return Kind.UNKNOWN if is_prefix else Kind.RATES
    if offset is not None:
        return Kind.OFFSETS
    if own & _SIZE:
        return Kind.SIZE
    if own & _STATES or (words and words[-1] == "partitions"):
        return Kind.OTHER
    if words and words[-1] in _TOTALS:
        return Kind.COUNTS
    return Kind.LAG if own & _WAITING else Kind.UNKNOWN


def _is_start(words: tuple[str, ...], offset: int) -> bool:
    """Whether a word next to ``offset`` says that it is the first one."""
    before, after = words[offset - 1 : offset], words[offset + 1 : offset + 2]
    return bool(_START & set(before)) or bool(_START & set(after) and not _END & set(before))


def _is_read(
    words: tuple[str, ...], own: frozenset[str], about_offsets: bool, has_group: bool
) -> bool:
    """Whether consumers' offsets or reads are counted."""
    if own & _READ or ("processed" in own and own & _READERS):
        return True
    if not about_offsets:
        return bool(own & _OUT and own & _AMOUNT)
    if own & _END:
        return False
    text = f" {' '.join(words)} "
    if own & _GROUP or " burrow partition " in text:
        return True
    is_near = has_group or bool(own & _READERS)
    return is_near and " topic partition current offset " not in text


def _is_scaled(words: tuple[str, ...], own: frozenset[str]) -> bool:
    """Whether rates are given by another unit than messages or bytes per second."""
    pairs = pairwise(words)
    if own & _BITS or "increase" in own or any(a == "per" and b in _LONG for a, b in pairs):
        return True
    amount = next((place for place, word in enumerate(words) if word in _AMOUNT | _OFFSET), -1)
    if amount >= 0 and _CHANGE & set(words[amount:]):
        return True
    # Confluent Cloud's metrics count what arrived in the last minute.
    return bool(own & _LARGE and not own & _SIZE) or {"confluent", "received"} <= own


def _unit(own: frozenset[str]) -> str:
    if own & _BYTES:
        return BYTES
    return MESSAGES if own & _AMOUNT or own & _OFFSET else UNKNOWN
