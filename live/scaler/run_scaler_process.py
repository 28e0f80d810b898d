"""Process of a run's scaler: ``python -m … SETTINGS.json RATES.bin LABEL``; a signal ends it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path


def main(arguments: Sequence[str]) -> None:
    """Serve until the process is killed."""
    # As `groupscale scaler`: its decisions need no machine code. Before anything imports Numba.
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    from live.scaler import run_scaler

    file, rates, label = arguments
    run_scaler.serve(Path(file), Path(rates), label)


if __name__ == "__main__":
    main(sys.argv[1:])
