"""What Spark starts to fork its Python workers from, with the kernels loaded beforehand.

Numba and compiled code take seconds to load. Loaded before the first fork they are there in
every worker at once, and share their memory between them. On a machine of a cluster compiled
code is kept where `pipeline.paths` says, below ``GROUPSCALE_HOME`` or the executor's folder.
"""

import os
import socket
from collections.abc import Callable

from pyspark import daemon  # noqa: TID253  (a process of Spark's own, which imports it anyway)

from pipeline import paths

Worker = Callable[[socket.socket, bool], int]


def silenced(worker: Worker) -> Worker:
    """Let a worker whose Spark has ended meanwhile end as well, without a word.

    That happens to every worker at work when a run fails. The daemon would print a trace for
    each of them, and bury the run's own message.
    """

    def run(sock: socket.socket, authenticated: bool) -> int:
        try:
            return worker(sock, authenticated)
        except (BrokenPipeError, ConnectionResetError):
            os._exit(1)  # as the daemon does after the trace

    return run


if __name__ == "__main__":
    paths.set_defaults()  # before Numba is imported, which looks where its cache is
    from pipeline import kernels

    kernels.load()
    daemon.worker = silenced(daemon.worker)
    daemon.manager()  # type: ignore[no-untyped-call]
