"""Puts the checks of `pipeline.airflow_pages` before everything that Airflow's web server serves."""

from __future__ import annotations

from typing import Any, ClassVar

from airflow.plugins_manager import AirflowPlugin

from pipeline import airflow_pages


class GroupscalePages(AirflowPlugin):
    """What Airflow finds here."""

    name = "groupscale_pages"
    fastapi_root_middlewares: ClassVar[list[Any]] = [
        {"name": "own hosts", "middleware": airflow_pages.of_own_hosts},
        {"name": "same origin", "middleware": airflow_pages.SameOrigin},
    ]
