"""Process of a member that asks: ``python -m … SETTINGS.json SLOT INCARNATION SINCE_NS``.

Statuses are those of `live.consumer.process_end`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from live.consumer import process_end
from live.groups.asking_member import AskingMember
from live.groups.group_consumer_process import NAME
from live.live_settings import load


def main(arguments: Sequence[str]) -> int:
    """Run a member to its end; return the process's status. Errors go to stderr."""
    file, slot, incarnation, since_ns = arguments
    return process_end.run(
        lambda: AskingMember(load(Path(file)), int(slot), int(incarnation), int(since_ns)), NAME
    )


if __name__ == "__main__":
    process_end.leave(main(sys.argv[1:]))
