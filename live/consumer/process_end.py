"""How processes of consumers, and of members of Kafka's own groups, run to their end.

Statuses: 0 after `stop`, 1 after an error, 3 if it was fenced or a client has failed for good.
"""

from __future__ import annotations

import gc
import os
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn, Protocol

from live.consumer.client_errors import Fenced, Refused, Unusable
from pipeline.base.process import signals

REPLACED = 3
"""Exit status of a process that cannot write any more."""


class Runnable(Protocol):
    """A consumer, or a member of a group."""

    def run(self) -> None:
        """Work until `stop` is called."""

    def stop(self) -> None:
        """Ask `run` to end; may be called by a handler of a signal."""


def run(new: Callable[[], Runnable], name: str) -> int:
    """Make it, and run it until its end or a signal; return the status of the process.

    name: What errors on stderr begin with.
    """
    try:
        own = new()
        signals.call(own.stop)
        gc.freeze()
        own.run()
    except (Fenced, Unusable) as error:
        return _fail(name, f"{type(error).__name__.lower()}: {error}", REPLACED)
    except (Refused, OSError) as error:
        return _fail(name, str(error), 1)
    except Exception:
        return _fail(name, traceback.format_exc(), 1)
    return 0


def _fail(name: str, text: str, status: int) -> int:
    print(f"{name}: {text}", file=sys.stderr)
    return status


def leave(status: int) -> NoReturn:
    """End this process at once: clients whose broker is away may take long to shut down."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)
