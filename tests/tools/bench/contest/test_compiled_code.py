"""The contest runs the code of today."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pipeline.base import paths

pytestmark = [pytest.mark.unit, pytest.mark.slow]


def test_only_compiled_code_of_these_sources_is_used() -> None:
    """Numba would go on with kernels that were compiled before a function they call changed."""
    asked = "import tools.bench.contest.__main__; from numba import config; print(config.CACHE_DIR)"
    bare = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    said = subprocess.run(
        [sys.executable, "-c", asked], env=bare, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == [str(paths.numba_cache())]
