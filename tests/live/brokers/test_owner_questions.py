"""What our controller's process asks its owner, and what comes back."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from live.brokers.scaling_process import OwnedReach, Owner
from pipeline.base.errors import StageError

pytestmark = pytest.mark.unit


def asked(question: str, **answer: Any) -> tuple[Any, dict[str, Any], OwnedReach]:
    """Ask about broker 4; returns what comes back, the line that was sent, and the cluster."""
    nothing = Path()
    reach = OwnedReach("127.0.0.1:1", "127.0.0.1:2", nothing, nothing, nothing, 1, "least")
    lines = io.StringIO(json.dumps({"bootstrap": "127.0.0.1:3", **answer}) + "\n")
    read, written = os.pipe()
    try:
        value = getattr(Owner(lines, written, reach), question)(4)
        return value, json.loads(os.read(read, 1000)), reach
    finally:
        os.close(read)
        os.close(written)


@pytest.mark.parametrize("question", ["start", "stop", "kill", "has_ended", "is_full"])
def test_a_question_names_the_broker(question: str) -> None:
    _, line, reach = asked(question)
    assert line == {"ask": question, "of": 4}
    # Brokers come and go: each answer says which run.
    assert reach.bootstrap == "127.0.0.1:3"


@pytest.mark.parametrize("question", ["has_ended", "is_full"])
def test_an_answer_is_yes_or_no(question: str) -> None:
    assert asked(question, value=True)[0] is True
    assert asked(question, value=False)[0] is False


def test_what_the_owner_cannot_do_is_a_failure() -> None:
    with pytest.raises(StageError, match=r"^node 4 did not start$"):
        asked("start", problem="node 4 did not start")
