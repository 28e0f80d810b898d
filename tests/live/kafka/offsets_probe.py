"""A program that asks for offsets in all ways, while its test stops the broker."""

from __future__ import annotations

import sys
import time

from live.controller.transactions import BrokerSilent, committed
from live.groups.group_lag import GroupLag
from live.kafka import log_offsets
from live.login.client_properties import NO_PROPERTIES
from live.speeds.record_count import RecordCount
from live.user_cluster.cluster_access import access
from live.user_cluster.group_offsets import GroupOffsets


def main(bootstrap: str, topic: str, partitions: int, seconds: float) -> None:
    """Print what was known before, and once more after the end."""
    count = RecordCount(bootstrap, topic, partitions)
    lag = GroupLag(bootstrap, "g", topic, partitions)
    offsets = GroupOffsets(access(bootstrap, topic, NO_PROPERTIES), None)
    reader = log_offsets.reader(bootstrap)
    end = time.monotonic() + seconds
    is_over = False
    while not is_over:
        is_over = time.monotonic() > end
        patience_s = 20.0 if is_over else 0.2
        reading = count.read(patience_s)
        if is_over and reading is None:
            # Right after a start, the first answer may be that the leader has changed.
            reading = count.read(patience_s)
        ends = offsets.ends(range(partitions), patience_s)
        first = log_offsets.beginnings(reader, topic, range(partitions), patience_s)
        if is_over:
            print(reading and reading.records, len(ends), len(first), lag.read(), flush=True)
        elif reading is None:
            print("silent", flush=True)
        try:
            committed(bootstrap, topic)
        except BrokerSilent:
            print("silent", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4]))
