"""Entry: one benchmark by its name, which prints its table and adds its part to a JSON file."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from tools import layout

HOME = layout.here().root


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a benchmark."""
    parser = argparse.ArgumentParser(prog="python -m tools.bench", description=__doc__)
    parser.add_argument("benchmark", choices=["kernels"])
    parser.add_argument("--out", type=Path, default=HOME / "build" / "bench.json")
    options = parser.parse_args(arguments)
    from pipeline import paths

    # Before anything imports Numba: the compiled code of these sources, and of no others.
    os.environ["NUMBA_CACHE_DIR"] = str(paths.numba_cache())
    from tools.bench import kernels

    kernels.main(options.out)


if __name__ == "__main__":
    main()
