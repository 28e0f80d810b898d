"""Puts the checks of `pipeline.orchestration.pages` before all that Airflow's web server serves."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from pipeline.orchestration import pages


class GroupscalePages(AirflowPlugin):
    """What Airflow finds here."""

    name = "groupscale_pages"
    # Airflow declares it for instances, and reads it from one.
    fastapi_root_middlewares = [  # noqa: RUF012
        {"name": "own hosts", "middleware": pages.of_own_hosts},
        {"name": "same origin", "middleware": pages.SameOrigin},
    ]
