"""The pool of Airflow that every task is in, so that one runs at a time, of whichever DAG.

``python -m pipeline.orchestration.pool`` brings Airflow's database to the installed version and
makes the pool
in it: in one process, since Airflow takes seconds to start.
"""

from __future__ import annotations

import sys

NAME = "groupscale"
SLOTS = 1
MEANING = "Tasks with a Spark session that uses all cores: one at a time"


def ensure() -> bool:
    """Make the pool where there is none, and tell whether; slots that somebody chose stay."""
    from airflow.models.pool import Pool
    from airflow.utils.session import create_session

    with create_session() as session:
        if Pool.get_pool(NAME, session=session):
            return False
        Pool.create_or_update_pool(NAME, SLOTS, MEANING, include_deferred=False, session=session)
        return True


def main() -> None:
    """Do what ``airflow db migrate`` does, then make the pool."""
    from airflow.__main__ import main as airflow

    sys.argv = ["airflow", "db", "migrate"]
    airflow()  # type: ignore[no-untyped-call]
    ensure()


if __name__ == "__main__":
    main()
