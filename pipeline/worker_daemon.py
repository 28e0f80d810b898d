"""What Spark starts to fork its Python workers from, with the kernels loaded beforehand.

Numba takes seconds to import. Loaded before the first fork it is there in every worker at
once, and its memory is shared between them.
"""

from pyspark import daemon  # noqa: TID253  (a process of Spark's own, which imports it anyway)

import pipeline.kernels  # noqa: F401  (loaded for the workers to come)

if __name__ == "__main__":
    daemon.manager()  # type: ignore[no-untyped-call]
