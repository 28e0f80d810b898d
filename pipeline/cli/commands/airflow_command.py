"""``groupscale airflow``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

import pipeline
from pipeline.base.errors import InputError
from pipeline.cli.exits import reporting_errors


def airflow(
    words: Annotated[
        list[str],
        typer.Argument(metavar="COMMAND", help="Airflow's command, such as dags list."),
    ],
) -> None:
    """Run a command of Airflow, with the database of `make up`, else of `make airflow`."""
    with reporting_errors():
        if not (Path(pipeline.__file__).parents[1] / "tools" / "__main__.py").is_file():
            raise InputError("airflow: this is no checkout with `make up`; run airflow itself")
        sys.stdout.flush()
        # -P: a folder `tools` in the current folder is not meant.
        os.execv(sys.executable, [sys.executable, "-P", "-m", "tools", "exec", "airflow", *words])
