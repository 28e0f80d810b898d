"""A control plane that tests share, and a scaler for each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.live.scaler.control_plane.running_plane import ControlPlane, running
from tests.live.scaler.control_plane.scaled_deployment import PARTITIONS, ScaledDeployment
from tests.live.scaler.keda.running_scaler import RunningScaler
from tools.keda import control_plane, keda_module
from tools.layout import here

Deploys = Callable[..., ScaledDeployment]
"""Makes a Deployment with so many replicas; a ScaledObject scales it if there is one."""


@pytest.fixture(scope="session")
def plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """A control plane with KEDA, which is built first if it has to be."""
    if keda_module.go() is None:
        pytest.skip("Go is not installed")
    with running(control_plane.built(here()), tmp_path_factory.mktemp("plane")) as own:
        yield own


@pytest.fixture
def scaler(tmp_path: Path) -> Iterator[RunningScaler]:
    own = RunningScaler(tmp_path, partitions=PARTITIONS)
    yield own
    own.kill()


@pytest.fixture
def deploys(plane: ControlPlane) -> Iterator[Deploys]:
    every: list[ScaledDeployment] = []

    def deploy(replicas: int, manifest: Any = None) -> ScaledDeployment:
        every.append(ScaledDeployment(plane.api, replicas))
        if manifest is not None:
            every[-1].scale_by(manifest)
        return every[-1]

    yield deploy
    for each in every:
        each.end()
