"""A consumer that never comes back from its first batch: ``SETTINGS.json SLOT INCARNATION``."""

from __future__ import annotations

import time
from collections.abc import Sequence

from live.consumer import ConsumedRecord
from live.consumer.consumer_process import serve


def hang(records: Sequence[ConsumedRecord]) -> None:
    time.sleep(3600)


if __name__ == "__main__":
    serve(hang)
