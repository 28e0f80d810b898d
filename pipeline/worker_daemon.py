"""What Spark starts to fork its Python workers from, with the kernels loaded beforehand.

Numba and compiled code take seconds to load. Loaded before the first fork they are there in
every worker at once, and share their memory between them. On a machine of a cluster compiled
code is kept where `pipeline.paths` says, below ``GROUPSCALE_HOME`` or the executor's folder.
"""

import sys

from pyspark import daemon  # noqa: TID253  (a process of Spark's own, which imports it anyway)

from pipeline import paths


def say(words: str, file: object = None) -> None:
    """Print what the daemon has to say, unless it is that Spark has ended before its workers.

    That happens to every worker at work when a run fails, and would bury the run's own message
    among traces.
    """
    if not isinstance(sys.exc_info()[1], BrokenPipeError | ConnectionResetError):
        print(words, file=sys.stderr)


if __name__ == "__main__":
    paths.set_defaults()  # before Numba is imported, which looks where its cache is
    from pipeline import kernels

    kernels.load()
    daemon.print = say  # type: ignore[attr-defined]
    daemon.manager()  # type: ignore[no-untyped-call]
