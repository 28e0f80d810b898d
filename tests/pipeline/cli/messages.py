"""Writes messages.txt, the text that users read: help and errors of every command.

``python -m tests.pipeline.cli.messages`` writes it again after a change of wording.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from pipeline.base import limits, paths
from pipeline.base.errors import Damaged, GroupscaleError, ValidationFailed
from pipeline.base.limits import Size
from pipeline.engine import retention_policy
from pipeline.warehouse.runs import record
from pipeline.warehouse.spark import given_settings, session_settings
from tests.pipeline.cli.command import call
from tests.pipeline.cli.message_cases import CASES, Case
from tests.pipeline.warehouse.storage import questions

GOLDEN = Path(__file__).with_name("messages.txt")
HEADING = "=== "
_BOX = re.compile("[│╭╮╰╯─]+")


def _raise(error: Exception) -> None:
    raise error


DIRECT: dict[str, Callable[[], object]] = {
    "limit: memory": lambda: limits.check_memory([Size(20_000, 500, 20, 4)], 4, 8.0),
    "limit: rates of all traces": lambda: limits.check_traces([Size(1_000, 25_000, 1, 1)] * 5),
    "limit: consumer ids of a run": lambda: limits.check_run([Size(5_000, 5_000, 20, 10_000)]),
    "environment: runs to keep": retention_policy.policy,
    "environment: version of the code": record.versions,
    "environment: Spark settings": lambda: given_settings.given(os.environ),
    "environment: JARs": session_settings.delta_jars,
    "error: a damaged file": lambda: _raise(Damaged("scores", "part-0.parquet", "r1")),
    "error: a damaged log": lambda: _raise(Damaged("scores", "part-0.parquet", None)),
    "error: broken rules": lambda: _raise(ValidationFailed("scores", ["cbs_range (2 rows)"])),
}
"""Calls that raise an error whose message a user reads, but that need Spark or much memory."""

ENVIRONMENT = {
    "GROUPSCALE_KEEP_RUNS": "0",
    "GROUPSCALE_CODE": "a b",
    "GROUPSCALE_SPARK_CONF": "[]",
    "GROUPSCALE_JARS": "/none",
}
"""What the calls with wrong variables find."""


@contextmanager
def surroundings(root: Path) -> Iterator[None]:
    """Set the variables that the command reads, so that nothing outside of a folder matters."""
    variables = {
        "COLUMNS": "100",
        "TERM": "dumb",
        "NO_COLOR": "1",
        "GROUPSCALE_HOME": str(root / "home"),
        "GROUPSCALE_WAREHOUSE": str(root / "warehouse"),
        "MLFLOW_TRACKING_URI": f"sqlite:///{root}/mlflow.db",
    }
    with mock.patch.dict(os.environ, variables):
        yield


def names() -> list[str]:
    """Names of all cases, in the order of the golden file."""
    return [*CASES, *DIRECT]


def message(name: str, root: Path) -> str:
    """What a case prints: the call, its exit status and its output."""
    with surroundings(root):
        return _called(CASES[name], root) if name in CASES else _raised(DIRECT[name])


def _called(case: Case, root: Path) -> str:
    for name, content in case.files.items():
        (root / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    if case.words[0] == "sql" and not (root / "warehouse").exists():
        questions.make(root / "warehouse")
    words = [re.sub(r"(^|dqn:){(.+)}$", rf"\1{root}/\2", word) for word in case.words]
    result = call(*words)
    text = f"$ groupscale {' '.join(words)}\nexit status {result.exit_code}\n{result.output}"
    return _plain(text.replace(str(root), "<tmp>"))


def _raised(function: Callable[[], object]) -> str:
    try:
        with mock.patch.dict(os.environ, ENVIRONMENT):
            function()
    except GroupscaleError as error:
        return f"{type(error).__name__}: {error}"
    raise AssertionError("it raises no error")


def _plain(text: str) -> str:
    """Text without frames and blanks around, which depend on the terminal."""
    lines = (_BOX.sub("", line).strip() for line in text.splitlines())
    return "\n".join(" ".join(line.split()) for line in lines if line)


def golden() -> dict[str, str]:
    """Messages of the golden file by name of the case."""
    sections = GOLDEN.read_text().split(f"\n{HEADING}")
    return dict(section.strip().split("\n", 1) for section in sections[1:])


def write() -> None:
    """Write the golden file."""
    parts = ["Help and errors of the command line; written by tests/pipeline/cli/messages.py.\n"]
    for name in names():
        with tempfile.TemporaryDirectory() as folder:
            parts.append(f"{HEADING}{name}\n{message(name, Path(folder))}\n")
    GOLDEN.write_text("\n".join(parts))


if __name__ == "__main__":
    # The folder of a case is new: it has no compiled kernels.
    paths.set_defaults()
    write()
