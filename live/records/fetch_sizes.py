"""How much a broker's answer holds: of all partitions, and of one.

librdkafka asks for partitions in the same order each time, and a broker fills its answer in that
order. If the response cannot hold all of them, the last ones get nothing for as long as the first
ones have enough: a consumer with a backlog read one of six partitions once in 30 s. So the share of
a partition is such that all fit.
"""

from __future__ import annotations

from live.live_settings import FIXED_FIRST, LiveSettings

BUFFER_S = 0.25
"""Seconds of C̄ that wait at a consumer before it fetches no more: with the client, and in order
`fixed_first` half of them outside of it. One answer of a broker comes on top."""

ANSWER_S = 0.7
"""Seconds of C̄ that one answer holds at most: with the buffer less than a second."""

OVERHEAD_BYTES = 80
"""A record that is a batch of its own takes so many bytes more in the log."""

MEMBER_PARTITION_BYTES, MEMBER_ANSWER_BYTES = 1 << 20, 50 << 20
"""Bytes of one partition, and of all, in one answer to a member of a group that asks: as the client
has them by default."""

LEAST_RECORDS = 2
"""Records that the share of a partition holds at least."""


def client_bytes(settings: LiveSettings) -> int:
    """Bytes that wait with the client before it fetches no more, whole kB."""
    share = BUFFER_S / 2 if settings.order == FIXED_FIRST else BUFFER_S
    return max(int(settings.consumer_rate * share) // 1024, 1) * 1024


def queue_bytes(settings: LiveSettings) -> int:
    """Bytes that wait outside of the client in order `fixed_first`; one record always may."""
    return max(int(settings.consumer_rate * BUFFER_S) - client_bytes(settings), 1)


def answer_bytes(settings: LiveSettings) -> int:
    """Bytes of one answer, of all partitions together."""
    return max(int(settings.consumer_rate * ANSWER_S), partition_bytes(settings))


def partition_bytes(settings: LiveSettings) -> int:
    """Bytes of one partition in one answer.

    A run whose records have any size (``record_bytes`` 0) knows none, so that half a buffer is as
    good as any: a batch that is larger is sent alone.
    """
    most = max(int(settings.consumer_rate * BUFFER_S) // 2, 1024)
    if not settings.record_bytes:
        return most
    least = LEAST_RECORDS * (settings.record_bytes + OVERHEAD_BYTES)
    share = int(settings.consumer_rate * ANSWER_S) // settings.partitions
    return max(min(share, most), least)


def partition_records(settings: LiveSettings) -> int:
    """Records of one partition in one answer."""
    return max(partition_bytes(settings) // (settings.record_bytes + OVERHEAD_BYTES), 1)


def member_records(settings: LiveSettings) -> tuple[int, int]:
    """Records of one partition, and of all, in one answer to a member of a group that asks."""
    each = settings.record_bytes + OVERHEAD_BYTES
    return MEMBER_PARTITION_BYTES // each, MEMBER_ANSWER_BYTES // each


def answer_records(settings: LiveSettings) -> int:
    """Records of all partitions in one answer."""
    return max(answer_bytes(settings) // (settings.record_bytes + OVERHEAD_BYTES), 1)
