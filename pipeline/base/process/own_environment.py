"""Variables of other Spark, Java and Python installations, which must not affect this one.

``make`` and the commands of the virtual environment share this list. Standard library alone: set-up
runs before packages are installed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from pipeline.base.errors import InputError

PYTHON = ("PYTHONPATH", "PYTHONHOME")
"""What would replace modules or the standard library."""

SPARK = ("SPARK_HOME", "SPARK_REMOTE", "PYSPARK_SUBMIT_ARGS", "PYSPARK_DRIVER_PYTHON")
"""What would start another Spark, or this one with other options."""

CONF_DIR = "SPARK_CONF_DIR"
"""Names the folder of ``spark-defaults.conf``: the settings of a cluster, see docs/cluster.md."""

SAFE_PATH = "PYTHONSAFEPATH"
"""With it ``python -m`` does not import from the current folder, where anything may lie."""

JAVA = "JAVA_HOME"
SUPPORTED_JAVA = (17, 21)

_VERSION = re.compile(r'^JAVA_VERSION="(?:1\.)?(\d+)', re.MULTILINE)


def foreign(environment: Mapping[str, str], local: bool) -> list[str]:
    """Names of set variables to be removed. local: Whether Spark runs on this machine."""
    names = (*PYTHON, *SPARK, *([CONF_DIR] if local else []))
    return [name for name in names if name in environment]


def adopt(local: bool) -> None:
    """Remove foreign variables from this process and give its children a safe path.

    The console script has left foreign Python packages before (`pipeline.cli.start`).
    """
    for name in foreign(os.environ, local):
        del os.environ[name]
    os.environ[SAFE_PATH] = "1"


def check_java(home: str) -> None:
    """Raise `InputError` unless a ``JAVA_HOME`` has a Java that Spark supports."""
    allowed = " or ".join(map(str, SUPPORTED_JAVA))
    remedy = f"set it to the home of a Java {allowed}, or unset it"
    if not (Path(home) / "bin" / "java").exists():
        raise InputError(f"`{JAVA}` must contain bin/java (got {home!r}); {remedy}")
    release = Path(home) / "release"
    match = _VERSION.search(release.read_text(errors="replace")) if release.is_file() else None
    if match and int(match[1]) not in SUPPORTED_JAVA:
        raise InputError(
            f"`{JAVA}` must name a Java {allowed} (got Java {match[1]} in {home!r}); {remedy}"
        )
