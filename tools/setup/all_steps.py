"""Runs all missing steps of set-up; does nothing if it is complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tools import environment, waiting_lock
from tools.console import SetupError, say
from tools.layout import Layout
from tools.services import private_folders
from tools.setup import databases, jars, java, python, warm_start


def ensure(layout: Layout) -> dict[str, str]:
    """Make the repository ready; return the programs' environment. Raises SetupError, one line."""
    try:
        private_folders.ensure(layout)
    except OSError as error:
        raise SetupError(f"cannot write to {layout.state}: {error.strerror}") from error
    if not is_ready(layout):
        with _alone(layout):
            python.ensure(layout)
            java.ensure(layout)
            env = environment.variables(layout)
            jars.ensure(layout, env)
            databases.ensure(layout, env)
            warm_start.ensure(layout, env)
        say("set-up: complete")
    return environment.variables(layout)


def is_ready(layout: Layout) -> bool:
    """Whether every part of set-up is complete for the repository's current requirements."""
    return all(part.is_ready(layout) for part in (python, java, jars, databases, warm_start))


@contextmanager
def _alone(layout: Layout) -> Iterator[None]:
    """Make a second set-up of this repository wait until the first is done."""
    try:
        layout.cache.mkdir(exist_ok=True)
        file = (layout.cache / "setup.lock").open("w")
    except OSError as error:
        raise SetupError(f"cannot write to {layout.root}: {error.strerror}") from error
    with waiting_lock.held(file, "set-up: waiting for another set-up to finish"):
        yield
