"""A program with a process function of its user's: ``SETTINGS.json SLOT INCARNATION``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from live.consumer import ConsumedRecord
from live.consumer.consumer_process import serve


def write_offsets(records: Sequence[ConsumedRecord]) -> None:
    with Path(sys.argv[1]).with_name("counted.txt").open("a") as file:
        file.writelines(f"{record.offset}\n" for record in records)


if __name__ == "__main__":
    serve(write_offsets)
