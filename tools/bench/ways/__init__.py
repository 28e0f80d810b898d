"""What each way of deploying a strategy keeps of its saving, on generated workloads."""

import os

from pipeline.base import paths

# Before anything imports Numba: use the compiled code of these sources only.
os.environ["NUMBA_CACHE_DIR"] = str(paths.numba_cache())
