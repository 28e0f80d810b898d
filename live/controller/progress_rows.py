"""Progress of the run's partitions, as its topic has it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from live.consumer import progress_record
from live.consumer.progress_record import InvalidProgress
from live.protocol.message_checks import MAX_COUNT


def next_offsets(
    values: Iterable[bytes], partitions: int, reject: Callable[[str], None]
) -> dict[int, int]:
    """Offset of the record to process next, by partition.

    values: Values of topic `progress`; of a partition's, the last one counts.
    reject: Called with an explanation for each value that is not understood; it is left out.
    """
    offsets: dict[int, int] = {}
    for value in values:
        try:
            row = progress_record.parse(value)
        except InvalidProgress as invalid:
            reject(str(invalid))
            continue
        if row.partition >= partitions or row.offset > MAX_COUNT:
            reject(f"progress of {partitions} partitions, up to {MAX_COUNT} (got {row})")
        else:
            offsets[row.partition] = row.offset
    return offsets
