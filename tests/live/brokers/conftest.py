"""Clusters whose nodes run no Java."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.kafka import broker_jars, node_group
from live.kafka.broker_node import BrokerNode


@pytest.fixture
def without_java(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes are configured, and neither formatted nor started."""
    monkeypatch.setattr(broker_jars, "java_program", lambda: Path("java"))
    monkeypatch.setattr(broker_jars, "ensure", lambda java: Path("jars"))
    monkeypatch.setattr(node_group, "format_all", lambda *_: None)
    monkeypatch.setattr(BrokerNode, "launch", lambda self: None)
    monkeypatch.setattr(BrokerNode, "wait", lambda *_: None)
