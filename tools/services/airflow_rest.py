"""Airflow's REST interface under `make up`, used as its administrator."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tools.layout import Layout
from tools.services import credentials, health, records
from tools.services.service_topology import ADMIN, HOST

API = "airflow-api-server"


@dataclass(frozen=True)
class Airflow:
    """A session of the administrator."""

    base: str
    headers: Mapping[str, str]

    def ask(self, path: str, content: object = None) -> Any:
        """Response of a page; ``content`` is posted as JSON. Raises OSError if it refuses."""
        return _ask(f"{self.base}/api/v2/{path}", self.headers, content)


def logged_in(layout: Layout) -> Airflow:
    """Log in to `make up`'s Airflow. Raises OSError without response, KeyError if not started."""
    base = f"http://{HOST}:{records.load(layout)[API].ports['AIRFLOW__API__PORT']}"
    login = {"username": ADMIN, "password": credentials.ensure(layout)["airflow-admin"]}
    token = _ask(f"{base}/auth/token", {}, login)["access_token"]
    return Airflow(base, {"Authorization": f"Bearer {token}"})


def _ask(page: str, headers: Mapping[str, str], content: object) -> Any:
    data = None if content is None else json.dumps(content).encode()
    sent = {"Content-Type": "application/json", **headers}
    return json.loads(health.get(urllib.request.Request(page, data, sent)))
