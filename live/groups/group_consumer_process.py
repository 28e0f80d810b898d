"""Process of a member: ``python -m … SETTINGS.json SLOT INCARNATION PROTOCOL SINCE_NS``.

Statuses are those of `live.consumer.process_end`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from live.consumer import process_end
from live.groups.group_consumer import GroupConsumer
from live.live_settings import load

NAME = "member"
"""What errors of members on stderr begin with."""


def main(arguments: Sequence[str]) -> int:
    """Run a member to its end; return the process's status. Errors go to stderr."""
    file, slot, incarnation, protocol, since_ns = arguments
    return process_end.run(
        lambda: GroupConsumer(
            load(Path(file)), int(slot), int(incarnation), protocol, int(since_ns)
        ),
        NAME,
    )


if __name__ == "__main__":
    process_end.leave(main(sys.argv[1:]))
