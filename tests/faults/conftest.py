"""Undisturbed runs that broken ones are compared with, shared by all tests here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig
from tests.faults.breaking import RUN, TINY, WHOLE, Process

Start = Callable[..., Process]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    folder = f"{Path(__file__).parent}/"
    for item in items:
        if str(item.path).startswith(folder):
            item.add_marker(pytest.mark.faults)


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder of what all tests share."""
    return tmp_path_factory.mktemp("faults")


@pytest.fixture(scope="session")
def start(shared: Path) -> Iterator[Start]:
    """Start ``groupscale``; processes that are still alive at the end are killed."""
    started: list[Process] = []
    number = count()

    def begin(
        *words: str,
        limit: int | None = None,
        stdout: int | None = None,
        terminal: int | None = None,
        like_others: bool = False,
        **env: str,
    ) -> Process:
        chosen = {"MLFLOW_TRACKING_URI": f"sqlite:///{shared}/mlflow.db"} | env
        log = shared / f"said-{next(number)}.txt"
        settings = {"GROUPSCALE_SPARK_MASTER": "local[2]"} | chosen
        started.append(Process(words, log, settings, limit, stdout, terminal, like_others))
        return started[-1]

    yield begin
    for process in started:
        process.kill()


@pytest.fixture(scope="session")
def whole(start: Start, shared: Path) -> Path:
    """Warehouse of an undisturbed run; tests copy it."""
    process = start(*RUN, "--run-id", WHOLE, "--warehouse", str(shared / "whole"))
    assert process.end() == 0, process.said
    return shared / "whole"


@pytest.fixture(scope="session")
def tiny() -> RunConfig:
    """The configuration of these runs."""
    return resolve("smoke", None, list(TINY), [])


@pytest.fixture(scope="session", autouse=True)
def tracking(shared: Path) -> Iterator[None]:
    """Where runs in this process are tracked."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{shared}/mlflow.db")
        patch.setenv("GROUPSCALE_SPARK_MASTER", "local[2]")
        yield
