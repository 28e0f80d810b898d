"""Live runs that begin while another one measures are refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.warehouse.runs import one_live_run_lock
from tests.live.process_probe import checkout

pytestmark = pytest.mark.unit


def test_a_second_run_is_refused_until_the_first_one_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path))
    code = (
        "from pipeline.warehouse.runs import one_live_run_lock\n"
        "with one_live_run_lock.alone():\n"
        "    print('begun', flush=True); input()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=checkout() | {"GROUPSCALE_STATE": str(tmp_path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "begun\n"
        with pytest.raises(InputError, match="another live run is running"):
            one_live_run_lock.check()
        # However it ends: the system frees the lock.
        other.kill()
        other.wait()
    one_live_run_lock.check()
    with one_live_run_lock.alone(), pytest.raises(InputError, match="another live run"):
        one_live_run_lock.check()
    one_live_run_lock.check()
