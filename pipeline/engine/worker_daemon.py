"""What Spark starts to fork its Python workers from, with the kernels loaded beforehand.

Numba and compiled code take seconds to load. Loaded before the first fork they are there in
every worker at once, and share their memory between them. On a machine of a cluster compiled
code is kept where `pipeline.paths` says, below ``GROUPSCALE_HOME`` or the executor's folder.

Two more things cost a third of the workers' time otherwise, task by task. Spark puts itself on the
path of its workers as archives, whose listings each task reads anew, and from which modules are
compiled at every start: they go where PySpark is installed. And after each task Python looks for
garbage among all that was loaded: what is there before the first fork is exempt.
"""

import gc
import os
import socket
import sys
from collections.abc import Callable
from importlib.machinery import PathFinder
from pathlib import Path
from zipimport import zipimporter

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


def without_archives(path: list[str]) -> list[str]:
    """The import path without ZIP and JAR files, if PySpark is to be found without them as well."""
    folders = [entry for entry in path if not Path(entry).is_file()]
    installed = all(PathFinder.find_spec(name, folders) for name in ("pyspark", "py4j"))
    return folders if installed else path


def forget_archives() -> None:
    """Keep no listing of an archive that is not on the import path, or no longer."""
    for entry, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter) and entry not in sys.path:
            del sys.path_importer_cache[entry]


if __name__ == "__main__":
    gc.disable()
    sys.path = without_archives(sys.path)
    paths.set_defaults()  # before Numba is imported, which looks where its cache is
    import pandas  # noqa: F401  (Arrow imports it in each worker otherwise)
    from pyspark import daemon

    from pipeline.assignment import kernels

    kernels.load()
    daemon.worker = silenced(daemon.worker)
    forget_archives()  # those too in which a package of several places has been looked for
    gc.freeze()
    gc.enable()
    daemon.manager()  # type: ignore[no-untyped-call]
