"""Creates the virtual environment, completely or not at all."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
import tomllib
from pathlib import Path

from pipeline.base.text.failure_cause import NO_SPACE
from tools.console import CommandFailed, SetupError, logged, step, words
from tools.layout import Layout
from tools.setup import packages

NEEDED_GB = 4.0
LOCKS = ("bootstrap.txt", "requirements.txt", "dev.txt", "build.txt")


def is_ready(layout: Layout) -> bool:
    """Whether the environment holds exactly what the lock files say."""
    stamp = _stamp(layout)
    return layout.python.exists() and stamp.exists() and stamp.read_text() == fingerprint(layout)


def fingerprint(layout: Layout) -> str:
    """Digest of the environment's inputs, including the root, which its scripts name."""
    project = tomllib.loads((layout.root / "pyproject.toml").read_text())
    packaging = [project["project"], project["build-system"], project["tool"]["setuptools"]]
    digest = hashlib.sha256(json.dumps([str(layout.root), packaging]).encode())
    for name in LOCKS:
        digest.update((layout.requirements / name).read_bytes())
    return digest.hexdigest()


def ensure(layout: Layout) -> None:
    """Create or update the environment. Raises SetupError if disk or a package fails."""
    if is_ready(layout):
        return
    if not _stamp(layout).exists() or not layout.python.exists():
        _create(layout)
    # An interruption between here and the last line leaves an environment without a stamp.
    _stamp(layout).unlink(missing_ok=True)
    with step("installing about 200 packages (a few minutes the first time)"):
        try:
            packages.install(layout)
        except CommandFailed as error:
            raise _explained(error, layout) from error
    _stamp(layout).write_text(fingerprint(layout))


def _stamp(layout: Layout) -> Path:
    return layout.venv / ".complete"


def _create(layout: Layout) -> None:
    _discard(layout)
    _check_space(layout.root)
    major, minor = sys.version_info[:2]
    with step(f"virtual environment .venv, Python {major}.{minor}"):
        command = words(sys.executable, "-m", "venv", layout.venv)
        try:
            logged(command, packages.clean_environment(), layout.root, layout.logs / "setup.log")
        except CommandFailed as error:
            raise SetupError(
                f"cannot create the virtual environment: {error}; install Python's venv and "
                f"ensurepip modules (Debian: package python{major}.{minor}-venv)"
            ) from error


def _discard(layout: Layout) -> None:
    """Remove an environment that is unfinished or was created by another program."""
    if layout.venv.is_symlink() or (
        layout.venv.exists() and not (layout.venv / "pyvenv.cfg").exists() and _foreign(layout.venv)
    ):
        raise SetupError(
            f"{layout.venv} is not a virtual environment; move it away, then run the command again"
        )
    discarded = layout.cache / "discarded"
    if layout.venv.exists() or discarded.exists():
        with step("removing an incomplete or foreign .venv"):
            shutil.rmtree(discarded, ignore_errors=True)
            # Move it first: a half-removed environment must not be taken for the user's own files.
            if layout.venv.exists():
                layout.venv.rename(discarded)
            shutil.rmtree(discarded, ignore_errors=True)


def _foreign(folder: Path) -> bool:
    """Whether a folder contains files that an interrupted `venv` would not have left."""
    return any(item.name not in {"bin", "lib", "lib64", "include"} for item in folder.iterdir())


def _check_space(root: Path) -> None:
    free = shutil.disk_usage(root).free / 1e9
    if free < NEEDED_GB:
        raise SetupError(
            f"set-up needs {NEEDED_GB:.0f} GB of free disk space in {root} (found {free:.1f} GB); "
            "free some, or clone to a larger disk"
        )


def _explained(error: CommandFailed, layout: Layout) -> SetupError:
    if NO_SPACE in error.cause:
        return SetupError(f"the disk of {layout.root} is full; set-up needs {NEEDED_GB:.0f} GB")
    return SetupError(f"cannot install the packages (is a package index reachable?): {error}")
