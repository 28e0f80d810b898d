"""Settings of members' clients."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from live.groups.member_settings import member_settings
from live.strategy_kinds import CLASSIC, KIP_848
from tests.live.kafka_probe import run_settings

pytestmark = pytest.mark.unit

HEARTBEAT = "heartbeat.interval.ms"


@pytest.mark.parametrize(
    ("iteration_s", "heartbeat_ms"), [(30.0, 3000), (4.0, 400), (0.5, 100), (300.0, 3000)]
)
def test_heartbeats_scale_with_short_iterations(
    tmp_path: Path, iteration_s: float, heartbeat_ms: int
) -> None:
    settings = replace(run_settings("b:1", tmp_path), iteration_s=iteration_s)
    assert member_settings(settings, 0, CLASSIC)[HEARTBEAT] == heartbeat_ms


def test_with_kip_848_the_brokers_set_heartbeats(tmp_path: Path) -> None:
    """The client refuses the setting."""
    settings = run_settings("b:1", tmp_path)
    assert HEARTBEAT not in member_settings(settings, 0, KIP_848)
    assert HEARTBEAT in member_settings(settings, 0, CLASSIC)
