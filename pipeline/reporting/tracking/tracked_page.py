"""Where MLflow has the runs of a preset."""

from __future__ import annotations

import os
from contextlib import suppress

from pipeline.base import paths
from pipeline.base.text import addresses
from pipeline.reporting.tracking import client, runs_page


def lines(preset: str | None) -> list[str]:
    """Where MLflow has a run: on a server, the page of its preset, if known.

    All warehouses log to the same database by default, so that is named too.
    """
    place = paths.tracking_uri()
    address = None
    with suppress(Exception):  # the run is published: its results matter more than a link
        address = page(preset, place) if preset is not None else None
    shown = addresses.shown(place)
    if place != paths.default_tracking_uri():
        return [f"MLflow: {address or shown}"]
    return [f"MLflow: {address or shown} (start it with: make mlflow)", f"Logged to: {shown}"]


def page(preset: str, tracking_uri: str) -> str | None:
    """Address of MLflow's page of a preset, by default `make mlflow`'s; None without server."""
    local = tracking_uri == paths.default_tracking_uri()
    server = f"http://127.0.0.1:{os.environ.get('MLFLOW_PORT', '5000')}" if local else tracking_uri
    if runs_page.address(server, None) is None:
        return None
    experiment = client.connect(tracking_uri).get_experiment_by_name(client.experiment_name(preset))
    return runs_page.address(server, str(experiment.experiment_id) if experiment else None)
