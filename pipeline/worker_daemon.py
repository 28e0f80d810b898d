"""What Spark starts to fork its Python workers from, with the kernels loaded beforehand.

Numba and compiled code take seconds to load. Loaded before the first fork they are there in
every worker at once, and share their memory between them.
"""

from pyspark import daemon  # noqa: TID253  (a process of Spark's own, which imports it anyway)

from pipeline import kernels

if __name__ == "__main__":
    kernels.load()
    daemon.manager()  # type: ignore[no-untyped-call]
