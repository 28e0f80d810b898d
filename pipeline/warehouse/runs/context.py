"""The context of a run, which stages use, and its files in the state folder.

Airflow runs the tasks of one run in several processes. They share the run's state folder:
``run.json`` (configuration, owner and versions), ``timings.jsonl`` (a line per finished stage),
``at-work/`` (a file per step that is running, or was when its process died) and ``printed.json``
(what a terminal prints of the results).
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pipeline.base import paths as code_files
from pipeline.base.errors import InputError, StageError
from pipeline.base.paths import Paths
from pipeline.base.process import replaced_file
from pipeline.settings.run_config import RunConfig, Unit


def code_of(versions: Mapping[str, str]) -> str:
    """Version of the code, of all versions of a run."""
    return versions.get("code", "unknown")


@dataclass(frozen=True)
class RunContext:
    """A run in progress."""

    run_id: str
    config: RunConfig
    paths: Paths
    owner: str
    """Owner of the run: a process of the command line, or a DAG run."""
    created_at: datetime
    """When the run began, UTC."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """Versions of code and packages that the run began with."""
    tracking_uri: str = ""
    """Tracking URI recorded at the start of the run, without passwords; "" if unknown."""

    @property
    def code(self) -> str:
        """Version of the code that the run began with."""
        return code_of(self.versions)

    @property
    def version(self) -> str:
        """Version of configuration and code: a repeated run only uses results of the same one.

        It has the code's files, since a commit does not say what runs where files differ from it.
        """
        return f"{self.config.fingerprint()[:16]}-{code_files.code_digest()}"

    def save(self) -> None:
        """Write ``run.json``, replacing an older one in one step."""
        folder = self.paths.state(self.run_id)
        folder.mkdir(parents=True, exist_ok=True)
        state = {
            "run_id": self.run_id,
            "owner": self.owner,
            "created_at": self.created_at.isoformat(),
            "config": json.loads(self.config.to_json()),
            "versions": dict(self.versions),
            "tracking_uri": self.tracking_uri,
        }
        replaced_file.write_json(folder / "run.json", state, indent=1)

    def has_begun(self) -> bool:
        """Whether this run has been saved, not only an earlier one with its id."""
        try:
            state = json.loads((self.paths.state(self.run_id) / "run.json").read_text())
        except (OSError, ValueError):
            return False
        mine = (self.owner, self.created_at.isoformat())
        return bool((state["owner"], state["created_at"]) == mine)

    def record(self, stage: str, units: Sequence[Unit] | None, seconds: float) -> None:
        """Append a stage's duration; short appends of one line do not interleave."""
        labels = None if units is None else [unit.label for unit in units]
        line = json.dumps({"stage": stage, "units": labels, "seconds": round(seconds, 3)})
        with (self.paths.state(self.run_id) / "timings.jsonl").open("a") as file:
            file.write(line + "\n")

    def timings(self) -> list[dict[str, object]]:
        """Durations of the finished stages, in the order in which they ended."""
        file = self.paths.state(self.run_id) / "timings.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return [json.loads(line) for line in lines]

    def forget_timings(self) -> None:
        """Clear the list of durations (for a run id that runs again)."""
        (self.paths.state(self.run_id) / "timings.jsonl").unlink(missing_ok=True)

    @contextmanager
    def at_work(self, step: str) -> Iterator[None]:
        """Mark a step as running while the body runs; the mark of a killed process stays."""
        mark = self.paths.state(self.run_id) / "at-work" / step
        # The mark is for people to read: a run does not fail without it.
        with suppress(OSError):
            mark.parent.mkdir(parents=True, exist_ok=True)
            mark.touch()
        try:
            yield
        finally:
            with suppress(OSError):
                mark.unlink(missing_ok=True)

    def forget_marks(self) -> None:
        """Remove the marks of steps in which an earlier process of this run id died."""
        with suppress(OSError):
            for mark in (self.paths.state(self.run_id) / "at-work").glob("*"):
                mark.unlink(missing_ok=True)


def named(paths: Paths, run_id: str) -> RunContext:
    """`load` for a run that a user names. Raises InputError if it has not begun here."""
    if not _begun(paths, run_id).exists():
        raise unknown_run(paths, run_id)
    return load(paths.warehouse, run_id)


def unknown_run(paths: Paths, run_id: str) -> InputError:
    """What to say of a run that a user names and that does not exist."""
    return InputError(
        f"run {run_id!r} is not in {paths.warehouse}; choose one that `groupscale runs` or "
        "`groupscale runs --failed` lists, or another folder with --warehouse or "
        "GROUPSCALE_WAREHOUSE"
    )


def load(warehouse: Path, run_id: str) -> RunContext:
    """Read the context of a run. Raises StageError if it has not begun in this warehouse."""
    paths = Paths(warehouse)
    file = _begun(paths, run_id)
    if not file.exists():
        raise StageError(f"run {run_id}: not started in {warehouse} (no {file.name})")
    state = json.loads(file.read_text())
    return RunContext(
        run_id=run_id,
        config=RunConfig.from_json(json.dumps(state["config"])),
        paths=paths,
        owner=state["owner"],
        created_at=datetime.fromisoformat(state["created_at"]),
        versions=state["versions"],
        tracking_uri=state["tracking_uri"],
    )


def _begun(paths: Paths, run_id: str) -> Path:
    """What a run that begins writes."""
    return paths.state(run_id) / "run.json"


def this_process() -> str:
    """Name of this process as the owner of a run."""
    return f"{socket.gethostname()}:{os.getpid()}"


def now() -> datetime:
    """The current time, UTC."""
    return datetime.now(UTC)
