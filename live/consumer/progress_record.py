"""Records of topic `progress`: how far a partition has been processed."""

from __future__ import annotations

import json

from live.protocol.messages import PartitionOffset

VERSION = 1
"""Of the records; those without one are from before it was written, and are the same otherwise."""


class InvalidProgress(ValueError):
    """A record of topic `progress` is not understood."""


def key(row: PartitionOffset) -> bytes:
    """Key of a record: the newest one of each partition is kept."""
    return str(row.partition).encode()


def value(row: PartitionOffset) -> bytes:
    """Value of a record; the offset is that of the record to process next."""
    return json.dumps({"v": VERSION, **row._asdict()}, separators=(",", ":")).encode()


def parse(data: bytes) -> PartitionOffset:
    """Value of a record, checked.

    Raises InvalidProgress if it is of another version, or does not have exactly the integers
        partition, epoch and offset, all at least 0.
    """
    try:
        content = json.loads(data)
    except (ValueError, RecursionError) as error:  # the latter for thousands of brackets
        raise InvalidProgress(f"progress must be JSON (got {data[:80]!r})") from error
    version = content.pop("v", VERSION) if isinstance(content, dict) else VERSION
    if type(version) is not int or version != VERSION:
        raise InvalidProgress(f"progress must be of version {VERSION} (got {data[:80]!r})")
    if not isinstance(content, dict) or set(content) != set(PartitionOffset._fields):
        raise InvalidProgress(f"progress has partition, epoch and offset (got {data[:80]!r})")
    numbers = [content[name] for name in PartitionOffset._fields]
    if any(type(number) is not int or number < 0 for number in numbers):
        raise InvalidProgress(f"numbers of progress are at least 0 (got {data[:80]!r})")
    return PartitionOffset(*numbers)
