"""Names of the DAGs. Only the standard library is imported: `make` reads them before set-up."""

from __future__ import annotations

ON_DEMAND = {
    "assignment": "benchmark",
    "autoscaling": "autoscaling",
    "live": "live",
    "learning": "learning",
    "applications": "applications",
    "pulsar": "pulsar",
    "brokers": "brokers",
}
"""The DAG that runs a family of experiments on demand."""

NIGHTLY = "nightly"

ALL = tuple(sorted([*ON_DEMAND.values(), NIGHTLY]))
"""All DAGs, in the order of display."""
