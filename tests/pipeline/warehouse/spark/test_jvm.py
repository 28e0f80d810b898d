"""What reaches standard error from the JVM."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pipeline.warehouse.spark import jvm

pytestmark = pytest.mark.unit

PROGRAM = """
import os, subprocess, threading
from pipeline.warehouse.spark import jvm
with jvm.quiet_start():
    script = "echo {noise} >&2; echo first >&2; read x; echo last >&2"
    child = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE)
    os.write(2, b"meanwhile\\n")
os.write(2, b"own\\n")
child.communicate(b"go")
for thread in threading.enumerate():
    if thread.name == "jvm-stderr":
        thread.join(30)
"""


def test_all_but_the_warning_of_incubator_modules_is_forwarded() -> None:
    program = PROGRAM.format(noise=f"{jvm.NOISE.decode()}: jdk.incubator.vector")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    lines = done.stderr.decode().split("\n")
    assert sorted(line for line in lines if line) == ["first", "last", "meanwhile", "own"]
