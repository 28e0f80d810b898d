"""docs/autoscaling.md: its example runs, and it names every strategy, assignor and protocol."""

from __future__ import annotations

import contextlib
import io

import pytest

from algorithms.assignment import assignors
from algorithms.assignment import registry as assignment_registry
from algorithms.autoscaling import registry
from algorithms.core.group_declarations import PROTOCOLS
from tests import guides
from tools.layout import here

pytestmark = pytest.mark.unit


def test_the_example() -> None:
    """One replica is late for most of the day; both strategies that scale are in time."""
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        exec(compile(guides.python("autoscaling.md"), "docs/autoscaling.md", "exec"), {})
    lines = output.getvalue().splitlines()
    shares = [float(line.split(": ")[1].split(" %")[0]) for line in lines]
    assert [line.split(":")[0] for line in lines] == ["constant", "linear", "least_loaded_2"]
    assert shares[0] < 50.0 < 95.0 < min(shares[1:])


def test_the_page_names_every_strategy() -> None:
    page = (here().root / "docs" / "autoscaling.md").read_text()
    named = set(registry.names()) - set(assignment_registry.names())
    assert len(named) > 10
    assert {name for name in named if f"| `{name}` |" not in page} == set()
    assert {name for name in assignors.names() if f"`{name}`" not in page} == set()
    assert {name for name in PROTOCOLS if f"`{name}`" not in page} == set()
