"""How far the least-loaded packing is from the fewest replicas."""

import os

from pipeline.base import paths

# Before anything imports Numba: use the compiled code of these sources only.
os.environ["NUMBA_CACHE_DIR"] = str(paths.numba_cache())
