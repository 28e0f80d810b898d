"""Process of the loop, which measures, decides and scales: ``python -m … FOLDER``.

It reads ``loop.json`` in the folder, writes ``ready``, and waits for the ``began.json`` of the
load. Its journal is in the folder. Started again there, it goes on where the journal ends.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.application_graph import check_application
from live.pulsar.functions_admin import FunctionsAdmin, FunctionSpec
from live.pulsar.real_application import arguments_of
from live.pulsar.scaling_loop import LoopTask, Resizing, ScalingLoop
from pipeline.base.errors import GroupscaleError

READY, BEGAN = "ready", "began.json"
"""Files that say that the loop can decide, and when the load began."""

_TASK = "loop.json"
_LOOK_S = 0.02


def write(folder: Path, task: LoopTask, admin_url: str, token_file: Path) -> None:
    """Write what `main` reads."""
    content = {
        "admin_url": admin_url,
        "token_file": str(token_file),
        "application": arguments_of(task.application, task.application.edges)._asdict(),
        "specs": task.specs,
        "jar": str(task.jar),
        "decision_s": task.decision_s,
        "r_max": task.r_max,
        "policy": task.policy,
        "arguments": dict(task.arguments),
        "resizings": list(task.resizings),
    }
    (folder / _TASK).write_text(json.dumps(content), encoding="utf-8")


def read(folder: Path) -> tuple[LoopTask, str, Path]:
    """What `write` has written: task, address of Pulsar's administration, file of its token."""
    content: Mapping[str, Any] = json.loads((folder / _TASK).read_text(encoding="utf-8"))
    task = LoopTask(
        application=check_application(**content["application"]),
        specs=[FunctionSpec(*each) for each in content["specs"]],
        jar=Path(content["jar"]),
        resizings=[Resizing(*each) for each in content["resizings"]],
        **{name: content[name] for name in ("decision_s", "r_max", "policy", "arguments")},
    )
    return task, content["admin_url"], Path(content["token_file"])


def main(folder: Path) -> int:
    """Scale until the source has ended; return the process's status. Errors go to stderr."""
    try:
        task, admin_url, token_file = read(folder)
        loop = ScalingLoop(task, FunctionsAdmin(admin_url, token_file), folder)
        (folder / READY).touch()
        loop.run(_began_ns(folder / BEGAN))
    except (GroupscaleError, InvalidParameterError, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


def _began_ns(file: Path) -> int:
    """When the load's clock began, ns of the monotonic clock. Its parent ends an idle wait."""
    while not file.exists():
        time.sleep(_LOOK_S)
    return int(json.loads(file.read_text(encoding="utf-8"))["began_ns"])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
