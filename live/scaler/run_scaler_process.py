"""Process of a run's scaler: ``python -m … SETTINGS.json RATES.bin LABEL``; a signal ends it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from algorithms.core import compiled


def main(arguments: Sequence[str]) -> None:
    """Serve until the process is killed."""
    # As `groupscale scaler`: its decisions need no machine code.
    compiled.interpret()
    from live.scaler import run_scaler

    file, rates, label = arguments
    run_scaler.serve(Path(file), Path(rates), label)


if __name__ == "__main__":
    main(sys.argv[1:])
