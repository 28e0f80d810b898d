"""A small run at the end of set-up, so that the user's first run starts fast."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path

from tools.console import CommandFailed, SetupError, logged, step, words
from tools.layout import Layout
from tools.setup import jars


def is_ready(layout: Layout) -> bool:
    """Whether the pipeline has run with the installed packages, JARs and Java."""
    stamp = _stamp(layout)
    return stamp.exists() and stamp.read_text() == _wanted(layout)


def ensure(layout: Layout, env: Mapping[str, str]) -> None:
    """Run the pipeline once; keep the classes that its JVM has loaded, and compiled kernels.

    Raises SetupError if the pipeline fails. A Java that cannot archive classes is not an error.
    """
    if is_ready(layout):
        return
    layout.classes.parent.mkdir(parents=True, exist_ok=True)
    draft = layout.classes.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    with step("first small run: compiles kernels and caches classes for faster starts"):
        command = words(layout.python, "-m", "pipeline.engine.setup_run")
        log = layout.logs / "setup-rehearsal.log"
        try:
            logged(command, {**env, "GROUPSCALE_RECORD_CLASSES": str(draft)}, layout.root, log)
        except CommandFailed as error:
            raise SetupError(f"the pipeline does not run here: {error}") from error
    layout.classes.unlink(missing_ok=True)
    if draft.exists():
        draft.replace(layout.classes)
    _stamp(layout).write_text(_wanted(layout))


def _stamp(layout: Layout) -> Path:
    return layout.classes.with_suffix(".complete")


def _wanted(layout: Layout) -> str:
    """Versions that an archive of classes depends on: Java, packages and JARs."""
    pins = (layout.requirements / "requirements.in").read_bytes()
    names = ",".join(jar.file_name for jar in jars.pinned(layout))
    return f"{os.path.realpath(layout.java)} {names} {hashlib.sha256(pins).hexdigest()}"
