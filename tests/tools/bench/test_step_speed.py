"""What is measured of single steps: all algorithms on all streams, and the slowest are printed."""

import json
from types import SimpleNamespace

import pytest

from algorithms.assignment import registry
from tools.bench import kernels, step_speed

pytestmark = pytest.mark.unit


def test_every_algorithm_is_measured_on_every_stream(monkeypatch, tmp_path, capsys):
    """With the clock replaced: algorithms with longer names take longer."""
    monkeypatch.setattr(step_speed, "step_seconds", lambda name, rates: len(name) * 1e-6)
    file = tmp_path / "bench.json"
    step_speed.main(file)
    rows = [step_speed.StepTime(**row) for row in json.loads(file.read_text())["steps"]]
    names = {*registry.names(), *kernels.BEYOND}
    assert {row.algorithm for row in rows} == names
    assert len(rows) == len(names) * len(step_speed.DELTAS)
    slowest = capsys.readouterr().out.splitlines()[2].split()[0]
    assert len(slowest) == max(map(len, names))


def test_a_step_has_the_median_of_its_times(monkeypatch):
    """Steps that take 1, 5 and 3 s."""
    readings = iter((0.0, 1.0, 1.0, 6.0, 6.0, 9.0))
    clock = SimpleNamespace(perf_counter=lambda: next(readings))
    monkeypatch.setattr(step_speed, "time", clock)
    assert step_speed.step_seconds("FF", kernels.stream(32)[:3]) == 3.0
