"""The Airflow pool of all tasks, so that only one runs at a time across DAGs.

``python -m pipeline.orchestration.pool`` migrates Airflow's database and creates the pool in it,
in one process because Airflow takes seconds to start.

``airflow pools set`` alone would overwrite the slots of an existing pool.
"""

from __future__ import annotations

import sys

NAME = "groupscale"
SLOTS = 1
MEANING = "Tasks with a Spark session that uses all cores: one at a time"


def main() -> None:
    """Run ``airflow db migrate``, then create the pool unless it exists; its slots are kept."""
    _airflow("db", "migrate")
    try:
        _airflow("pools", "get", NAME)
    except SystemExit:
        _airflow("pools", "set", NAME, str(SLOTS), MEANING)


def _airflow(*arguments: str) -> None:
    from airflow.__main__ import main as airflow

    sys.argv = ["airflow", *arguments]
    airflow()  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
