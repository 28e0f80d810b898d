"""Settings and fixtures shared by all tests."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# Compiling a kernel happens inside the first example of a test, so no example has a deadline. The
# examples derive from the test's own source: a run fails on every machine, or on none.
settings.register_profile(
    "groupscale",
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
# For `make test-fast`.
settings.register_profile("fast", settings.get_profile("groupscale"), max_examples=15)
settings.load_profile("groupscale")

LONGEST_FIRST = ("e2e", "airflow", "spark", "slow")
"""Markers of the tests that take longest: with two processes, none should be left to the end."""

FULL = 2
"""Generation of a collection that looks at all objects."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run files with long tests first; else the order is that of collection."""
    ranks: dict[Path, int] = {}
    for item in items:
        order = [i for i, name in enumerate(LONGEST_FIRST) if item.get_closest_marker(name)]
        ranks[item.path] = min(*order, len(LONGEST_FIRST), ranks.get(item.path, len(LONGEST_FIRST)))
    items.sort(key=lambda item: ranks[item.path])


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Look for no garbage among modules and tests, which stay until the end.

    It would take a third of the time to collect the tests, and be repeated while they run.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_configure() -> None:
    """Look for garbage once among what stays."""
    gc.callbacks.append(_freeze_survivors)


def _freeze_survivors(phase: str, info: dict[str, int]) -> None:
    """Exclude what a full collection leaves from later ones: mostly modules that tests import."""
    if phase == "stop" and info["generation"] == FULL:
        gc.freeze()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup() -> Iterator[None]:
    """Wait for what a run imports in the background: pytest lists loggers, and imports add some.

    Adding one meanwhile would fail the test.
    """
    for thread in threading.enumerate():
        if thread.name == "imports":
            thread.join()
    return (yield)


pytest_runtest_call = pytest_runtest_teardown = pytest_runtest_setup


@pytest.fixture(scope="session", autouse=True)
def tracking_of_tests(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Default MLflow store of tests."""
    with pytest.MonkeyPatch.context() as patch:
        file = tmp_path_factory.mktemp("tracking") / "mlflow.db"
        patch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{file}")
        yield


def pytest_unconfigure() -> None:
    """End quietly: nothing is printed after the summary.

    py4j would log to a stream that pytest has closed, and DuckDB report objects as leaked that
    `gc.freeze` keeps from being collected.
    """
    logging.raiseExceptions = False
    gc.callbacks.remove(_freeze_survivors)
    gc.unfreeze()
    gc.collect()
    # pytest looks for garbage again; what is left goes when the process ends.
    gc.freeze()
    atexit.register(gc.unfreeze)


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    """Leave to the next test the environment that this one has found."""
    before = dict(os.environ)
    yield
    for name in os.environ.keys() - before.keys():
        del os.environ[name]
    os.environ.update(before)


@pytest.fixture(autouse=True)
def handlers() -> Iterator[None]:
    """Leave the handlers of signals: the command line leaves those of a process that ends.

    A shell has what it starts in the background ignore Ctrl-C, and so would what tests start.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = [signal.getsignal(number) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """The process's session, which is also the one that the pipeline under test finds."""
    from pipeline.warehouse.spark import session

    # Few tests have many rows, and a JVM that optimises little starts fast.
    return session.get(brief=True)
