"""The strategy that docs/architecture.md gives as an example can be copied and run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np
import pytest

from algorithms.assignment import Observation
from algorithms.autoscaling import (
    arguments,
    candidates,
    registry,
    strategies,
    strategy,
    sweeps,
)
from tests.algorithms.autoscaling import cases

pytestmark = pytest.mark.unit

PAGE = Path(__file__).parents[3] / "docs" / "architecture.md"


def test_the_example_keeps_the_contract(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The module of the page is imported, and its entry registered, as the page says."""
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (module,) = (block for block in blocks if "@decides" in block)
    (entry,) = (block for block in blocks if 'name="per_lag"' in block)
    (tmp_path / "per_lag.py").write_text(module, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(strategies, "_STRATEGIES", dict(strategies._STRATEGIES))
    names = {
        "Strategy": strategy.Strategy,
        "COUNTING": strategy.COUNTING,
        "Argument": arguments.Argument,
        "Over": sweeps.Over,
    }
    registry.register(eval(entry.replace('f"{PACKAGE}.per_lag"', '"per_lag"'), names))
    try:
        added = registry.get("per_lag")
        state = added.start(cases.GROUP, least=2.0)
        lags = np.array([3.0, 0.0, 2.0, 9.0, 1.0])
        assert added.step(state, Observation(lags=lags)).replicas == 2
        rng = np.random.default_rng(0)
        seen = cases.seen(rng, cases.GROUP, lags=lags)
        assert cases.decided("per_lag", cases.GROUP, seen)[0][:2] == (3 + 1, 0)
        labels = [each.label for each in candidates.sweep("per_lag", 5, 100.0, 0.5)]
        assert labels == ["per_lag", "per_lag:least=10.0", "per_lag:least=100.0"]
    finally:
        sys.modules.pop("per_lag", None)
