"""Process of a member that asks: ``python -m … SETTINGS.json SLOT INCARNATION SINCE_NS``.

Statuses are those of `live.groups.group_consumer_process`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from live.groups.asking_member import AskingMember
from live.groups.group_consumer_process import run_member
from live.live_settings import load


def main(arguments: Sequence[str]) -> int:
    """Run a member to its end; return the process's status. Errors go to stderr."""
    file, slot, incarnation, since_ns = arguments
    return run_member(
        lambda: AskingMember(load(Path(file)), int(slot), int(incarnation), int(since_ns))
    )


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Clients whose broker is away may take long to shut down.
    os._exit(status)
