"""Process of a member: ``python -m … SETTINGS.json SLOT INCARNATION PROTOCOL SINCE_NS``.

Statuses: 0 after SIGTERM, 1 after an error, 3 if the client has failed for good.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from live.consumer.client_errors import Refused, Unusable
from live.groups.group_consumer import GroupConsumer
from live.live_settings import load
from pipeline.base.process import signals

UNUSABLE = 3


class Runnable(Protocol):
    """A member of a group."""

    def run(self) -> None:
        """Work until `stop` is called."""

    def stop(self) -> None:
        """Ask `run` to end; may be called by a handler of a signal."""


def main(arguments: Sequence[str]) -> int:
    """Run a member to its end; return the process's status. Errors go to stderr."""
    file, slot, incarnation, protocol, since_ns = arguments
    return run_member(
        lambda: GroupConsumer(
            load(Path(file)), int(slot), int(incarnation), protocol, int(since_ns)
        )
    )


def run_member(new: Callable[[], Runnable]) -> int:
    """Make a member, and run it to its end; return the process's status."""
    try:
        member = new()
        signals.call(member.stop)
        gc.freeze()
        member.run()
    except Unusable as error:
        return _fail(f"unusable: {error}", UNUSABLE)
    except (Refused, OSError) as error:
        return _fail(str(error), 1)
    except Exception:
        return _fail(traceback.format_exc(), 1)
    return 0


def _fail(text: str, status: int) -> int:
    print(f"member: {text}", file=sys.stderr)
    return status


if __name__ == "__main__":
    status = main(sys.argv[1:])
    sys.stdout.flush()
    sys.stderr.flush()
    # Clients whose broker is away may take long to shut down.
    os._exit(status)
