"""The process that Spark forks its Python workers from, with the kernels already loaded.

Numba and compiled code take seconds to load. If they are loaded before the first fork, every
worker has them at once, and all workers share their memory. On a cluster's machine compiled code
is kept where `pipeline.base.paths` says, below ``GROUPSCALE_HOME`` or the executor's folder.

Two more measures save a third of the workers' time. Spark puts itself on the path of its workers
as archives; each task reads their listings again, and modules from them are compiled at every
start. So the archives are removed from the path if PySpark is installed. And after each task
Python collects garbage among everything loaded: objects from before the first fork are exempt.

It calls PySpark's own daemon, which is not public, and replaces its function `worker`.
`pipeline.warehouse.spark.internals` uses this module only with the versions that it was tested
with.
"""

import gc
import os
import socket
import sys
from collections.abc import Callable
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from zipimport import zipimporter

from pipeline.base import paths
from pipeline.base.process import import_path

Worker = Callable[[socket.socket, bool], int]


def silenced(worker: Worker) -> Worker:
    """Make a worker end silently if its Spark has ended.

    That happens to every running worker when a run fails. The daemon would print a trace for each
    of them, which would bury the run's own message.
    """

    def run(sock: socket.socket, authenticated: bool) -> int:
        try:
            return worker(sock, authenticated)
        except (BrokenPipeError, ConnectionResetError):
            os._exit(1)  # as the daemon does after the trace

    return run


def without_archives(path: list[str]) -> list[str]:
    """The import path without ZIP and JAR files, if PySpark can be found without them."""
    folders = [entry for entry in path if not Path(entry).is_file()]
    installed = all(PathFinder.find_spec(name, folders) for name in ("pyspark", "py4j"))
    return folders if installed else path


def forget_archives() -> None:
    """Drop cached listings of archives that are not, or no longer, on the import path."""
    for entry, finder in list(sys.path_importer_cache.items()):
        if isinstance(finder, zipimporter) and entry not in sys.path:
            del sys.path_importer_cache[entry]


if __name__ == "__main__":
    gc.disable()
    sys.path = without_archives(sys.path)
    import_path.extend()
    paths.set_defaults()  # before Numba is imported, which looks where its cache is
    import pandas  # noqa: F401  (Arrow imports it in each worker otherwise)
    from pyspark import daemon

    for kernels in filter(None, os.environ.get(paths.KERNELS, "").split(",")):
        import_module(kernels).load()
    daemon.worker = silenced(daemon.worker)
    forget_archives()  # including those that a search for a namespace package added
    gc.freeze()
    gc.enable()
    daemon.manager()  # type: ignore[no-untyped-call]
