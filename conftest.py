"""What must be in place before any test, and before anything imports Numba or JAX."""

from __future__ import annotations

import os

from pipeline.base import paths

PLACES = {
    "GROUPSCALE_HOME",
    "GROUPSCALE_STATE",
    "GROUPSCALE_JARS",
    "GROUPSCALE_BROKER_JARS",
    "GROUPSCALE_NUMBA_CACHE",
    "GROUPSCALE_CHROMIUM",
    "GROUPSCALE_PROMETHEUS",
    "GROUPSCALE_PUBLISHED_WORKLOADS",
}
"""Variables that say where programs and files of tests are; all others are the user's own."""

OURS = ("GROUPSCALE_", "AIRFLOW_CONN_GROUPSCALE_", "MLFLOW_TRACKING_")

# A test that found them would write, and clean up, in the user's own tables, or call his alerts.
for name in [name for name in os.environ if name.startswith(OURS) and name not in PLACES]:
    del os.environ[name]

os.environ.update(paths.caches())
# Tests call JAX's operations one by one, too.
os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0"
