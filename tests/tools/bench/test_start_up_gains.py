"""Each means of starting faster is turned off by what its case says."""

import subprocess
import sys

import pytest

from pipeline.warehouse.spark import internals, jvm
from tools.bench import start_up_gains

SEEN = """
from pipeline.engine import steps
from pipeline.warehouse.spark import internals, jvm
print([internals.worker_settings('k'), jvm.options(True), steps.import_ahead.__name__])
"""


def _seen(off: str) -> str:
    program = [sys.executable, "-c", f"{off}\n{SEEN}"]
    return subprocess.run(program, capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("means", [*start_up_gains.WITHOUT][1:])
def test_a_case_turns_something_off(means: str) -> None:
    if means.startswith("archive") and not jvm.archive().is_file():
        pytest.skip("set-up has recorded no archive of classes")
    assert internals.is_known("pyspark")
    assert _seen(start_up_gains.WITHOUT[means]) != _seen("")
