"""Settings that must be in place before anything imports Numba."""

from __future__ import annotations

import os

from pipeline import paths

os.environ["NUMBA_CACHE_DIR"] = str(paths.numba_cache())
