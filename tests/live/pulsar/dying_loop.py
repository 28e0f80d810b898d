"""A loop that is killed right before its first request, and right after its second one."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from live.pulsar import loop_process
from live.pulsar.functions_admin import FunctionsAdmin, FunctionSpec


def main(folder: Path) -> int:
    """As the loop's process, with a resize that dies."""
    resize = FunctionsAdmin.resize

    def dying(self: FunctionsAdmin, spec: FunctionSpec, jar: Path, parallelism: int) -> None:
        _die_once(folder / "died-before")
        resize(self, spec, jar, parallelism)
        if parallelism == 1:
            _die_once(folder / "died-after")

    FunctionsAdmin.resize = dying  # type: ignore[method-assign]
    return loop_process.main(folder)


def _die_once(mark: Path) -> None:
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
