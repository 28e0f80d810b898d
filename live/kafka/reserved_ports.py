"""Free ports of the loopback address that stay reserved while a server that listens comes and goes.

A port that was only looked up can be given to another process before the server listens: clusters
that start together took each other's. So a socket stays bound to it. The system gives such a port
to nobody else, but lets a server listen on it that names it and sets ``SO_REUSEADDR``, as Java's
servers do.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from pipeline.base.errors import InputError

HOST = "127.0.0.1"


@contextmanager
def reserved(number: int, server: str = "Kafka") -> Iterator[list[int]]:
    """Reserve ports that the system chooses.

    server: What needs them, in messages.
    Raises InputError if the system has none left.
    """
    with ExitStack() as stack:
        try:
            ports = [_bound(stack.enter_context(socket.socket())) for _ in range(number)]
        except OSError as error:
            raise InputError(
                f"{server} needs {number} free ports of {HOST}, and the system has none left "
                f"({(error.strerror or str(error)).lower()}); stop programs that hold ports"
            ) from None
        yield ports


def _bound(holder: socket.socket) -> int:
    holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    holder.bind((HOST, 0))
    port: int = holder.getsockname()[1]
    return port
