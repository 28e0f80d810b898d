"""How long rebalances of Kafka's own protocols take, on brokers of our own."""

import os

from pipeline.base import paths

# Before anything imports Numba: use the compiled code of these sources only.
os.environ["NUMBA_CACHE_DIR"] = str(paths.numba_cache())
