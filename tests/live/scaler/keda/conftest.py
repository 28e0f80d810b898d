"""KEDA's own code, and a scaler for it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.scaler.keda.asking_keda import Keda, asking
from tests.live.scaler.keda.running_scaler import RunningScaler
from tools.keda import keda_module, keda_program
from tools.layout import here


@pytest.fixture(scope="session")
def program() -> Path:
    """KEDA's code, which is built first if it has to be."""
    if keda_module.go() is None:
        pytest.skip("Go is not installed")
    return keda_program.built(here())


@pytest.fixture(scope="module")
def keda(program: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keda]:
    with asking(program, tmp_path_factory.mktemp("keda")) as own:
        yield own


@pytest.fixture(scope="module")
def scaler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningScaler]:
    """One without TLS; tests leave it with 3 replicas for `billing`."""
    own = RunningScaler(tmp_path_factory.mktemp("scaler"))
    yield own
    own.kill()


@pytest.fixture
def ending(tmp_path: Path) -> Iterator[RunningScaler]:
    """A scaler that the test may end."""
    own = RunningScaler(tmp_path)
    yield own
    own.kill()
