"""`groupscale scaler` whose looks are played: ``python -m … GROUPS.json OPTIONS``.

The file has, by group, ``replicas`` that its rate needs, ``partitions`` and a ``fault`` if it
cannot be looked at. It is read at each look.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from live.scaler.group_look import Look
    from live.scaler.scaler_settings import ScalerTarget

MU = 100_000
"""Events/s of a replica: so many that a look just after another one has its rate, too."""

_RATE = 0.9 * MU
"""Events/s for each of which `STRATEGY` of the fakes wants a replica."""


class PlayedClients:
    """Looks at one group of the file."""

    admin = None

    def __init__(self, file: Path, target: ScalerTarget) -> None:
        self._file, self._target = file, target
        self._at_s, self._events = time.monotonic(), 0.0

    def look(self) -> Look:
        from live.scaler.group_look import NoLook
        from tests.live.scaler.scaler_fakes import look

        played: dict[str, Any] = json.loads(self._file.read_text())[self._target.group]
        if played["fault"]:
            raise NoLook(played["fault"])
        now_s = time.monotonic()
        # In the middle of what needs so many replicas: ends are whole records.
        rate = max(played["replicas"] - 0.5, 0.0) * _RATE
        partitions = played["partitions"]
        self._events += rate * (now_s - self._at_s)
        self._at_s = now_s
        # Rounded once: with each end for itself, many partitions would be many records off.
        ends = [(round(self._events) + p) // partitions for p in range(partitions)]
        return look(now_s, *ends, members=1)


def main() -> None:
    """Serve until a signal ends the process."""
    file = Path(sys.argv.pop(1))
    # As `groupscale scaler` does; before anything imports Numba.
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    from live.scaler import offset_retention, scaler_process
    from pipeline.cli.start import main as groupscale

    scaler_process.LookClients = (  # type: ignore[assignment, misc]
        lambda _, target: PlayedClients(file, target)
    )
    # There are no brokers to say it.
    offset_retention.note = lambda *_: ""
    groupscale()


if __name__ == "__main__":
    main()
