"""`make down` and `make status` do not set anything up first; `make up` does."""

import pytest

from tools import cli
from tools.services import lifecycle
from tools.setup import all_steps

pytestmark = pytest.mark.unit


@pytest.fixture
def called(monkeypatch):
    """Names of what the command line has called."""
    calls = []

    def noted(name, answer=None):
        def call(*arguments):
            calls.append(name)
            return answer

        return call

    monkeypatch.setattr(all_steps, "ensure", noted("setup", {}))
    monkeypatch.setattr(lifecycle, "up", noted("up"))
    monkeypatch.setattr(lifecycle, "down", noted("down"))
    monkeypatch.setattr(lifecycle, "status", noted("status", False))
    return calls


@pytest.mark.parametrize(
    ("command", "expected", "status"),
    [("up", ["setup", "up"], 0), ("down", ["down"], 0), ("status", ["status"], 1)],
)
def test_commands(called, command, expected, status):
    assert cli.main([command]) == status
    assert called == expected
