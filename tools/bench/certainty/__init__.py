"""How well stated chances are kept: known processes, recorded days, fresh weeks."""

import os

from pipeline.base import paths

# Before anything imports Numba: use the compiled code of these sources only.
os.environ["NUMBA_CACHE_DIR"] = str(paths.numba_cache())
