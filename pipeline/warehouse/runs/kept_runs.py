"""Measured runs of an experiment: an experiment that is repeated goes on with those it lacks.

The folder of an experiment belongs to one configuration and code. The folder of each run that has
ended well has a mark; what a run that was interrupted has left goes before it is measured again.
Once all of it is published, a repeated experiment measures everything again.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from pipeline.base import progress
from pipeline.base.process import replaced_file

VERSION, MEASURED = "version.txt", "measured.json"
"""Marks: in the folder of an experiment, and in that of a run."""

Notes = Mapping[str, Any]
"""What is known only while a run is measured, as JSON."""


def begin(place: Path, version: str) -> None:
    """Make the folder of an experiment; all that another version has left there goes.

    version: Of configuration and code.
    """
    mark = place / VERSION
    if mark.is_file():
        if mark.read_text(encoding="utf-8") == version:
            return
        progress.note(f"{place.name}: other settings or code than before; all is measured again")
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    replaced_file.write_text(mark, version)


def once(folder: Path, name: str, measure: Callable[[], Notes]) -> Notes:
    """Measure a run unless it has been, and return the notes of its measurement.

    folder: Of the run, below that of its experiment.
    name: In progress notes.
    measure: Leaves its evidence in `folder`, which does not exist when it is called. What it
        raises is raised; the run is measured again then.
    """
    mark = folder / MEASURED
    if mark.is_file():
        progress.note(f"{name}: measured before")
        notes: Notes = json.loads(mark.read_text(encoding="utf-8"))
        return notes
    progress.note(name)
    shutil.rmtree(folder, ignore_errors=True)
    made = measure()
    replaced_file.write_json(mark, made)
    return made


def publish(folder: Path) -> None:
    """Keep the evidence of all experiments of a published run, but not for a run that repeats it.

    folder: Of the experiments; it may be missing.
    """
    # The run is published already: it does not fail on a mark that stays.
    with suppress(OSError):
        for mark in folder.glob(f"*/{VERSION}"):
            mark.unlink(missing_ok=True)
