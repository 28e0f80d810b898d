"""Whole runs in processes of their own, as a user starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SMALL = ("partitions=5", "iterations=6", "deltas=0,25", "replicates=2", "algorithms=MWF,NF,kd_2")

Start = Callable[..., "subprocess.Popen[str]"]


def settings(*pairs: str) -> list[str]:
    """``--set`` options."""
    return [word for pair in pairs for word in ("--set", pair)]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Start ``groupscale`` in a process group of its own, with an MLflow store of this test."""

    def run(*arguments: str, master: str = "local[2]") -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "pipeline.cli.app", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env=os.environ
            | {
                "MLFLOW_TRACKING_URI": f"sqlite:///{tmp_path}/mlflow.db",
                "GROUPSCALE_SPARK_MASTER": master,
            },
        )

    return run
