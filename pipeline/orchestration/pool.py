"""The Airflow pool of all tasks, so that only one runs at a time across DAGs.

``python -m pipeline.orchestration.pool`` migrates Airflow's database and creates the pool in it,
in one process because Airflow takes seconds to start.

`Pool` and `create_session` are not part of Airflow's public interface; they were tested with
Airflow 3.3. The public command ``airflow pools set`` would overwrite the slots of an existing pool.
"""

from __future__ import annotations

import sys

NAME = "groupscale"
SLOTS = 1
MEANING = "Tasks with a Spark session that uses all cores: one at a time"


def ensure() -> bool:
    """Create the pool if it is missing, and return whether it was; existing slots are kept."""
    from airflow.models.pool import Pool
    from airflow.utils.session import create_session

    with create_session() as session:
        if Pool.get_pool(NAME, session=session):
            return False
        Pool.create_or_update_pool(NAME, SLOTS, MEANING, include_deferred=False, session=session)
        return True


def main() -> None:
    """Run ``airflow db migrate``, then create the pool."""
    from airflow.__main__ import main as airflow

    sys.argv = ["airflow", "db", "migrate"]
    airflow()  # type: ignore[no-untyped-call]
    ensure()


if __name__ == "__main__":
    main()
