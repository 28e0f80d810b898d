"""Runs the checks of `pipeline.orchestration.web_origins` on requests to Airflow's web server."""

from __future__ import annotations

from airflow.plugins_manager import AirflowPlugin

from pipeline.orchestration import web_origins


class GroupscalePages(AirflowPlugin):
    """The plugin that Airflow loads."""

    name = "groupscale_pages"
    # Airflow declares it as an instance attribute and reads it from an instance.
    fastapi_root_middlewares = [  # noqa: RUF012
        {"name": "own hosts", "middleware": web_origins.of_own_hosts},
        {"name": "same origin", "middleware": web_origins.SameOrigin},
    ]
