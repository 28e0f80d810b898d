"""An idle group is scaled to zero and back, and an outage of the scaler wakes it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from live.scaler.idle_settings import LATEST
from tests.live.scaler.control_plane.conftest import Deploys
from tests.live.scaler.control_plane.scaled_deployment import (
    FORMS,
    PARTITIONS,
    asking,
    written,
)
from tests.live.scaler.keda.asking_keda import HTTP
from tests.live.scaler.keda.running_scaler import RunningScaler

pytestmark = [pytest.mark.control_plane, pytest.mark.slow]

TO_ZERO = ":activation=0:quiet_s=3:idle_s=5:polling_s=2"
IDLE = {
    "min_replicas": 0,
    "members_per_replica": 1,
    "activation": 0,
    "cooldown_s": 3,
    "offset_reset": LATEST,
}


@pytest.fixture
def idling(tmp_path: Path) -> Iterator[RunningScaler]:
    own = RunningScaler(tmp_path, partitions=PARTITIONS, more=IDLE)
    yield own
    own.kill()


def test_an_idle_group_has_no_replicas_until_records_arrive_or_the_scaler_is_gone(
    deploys: Deploys, idling: RunningScaler
) -> None:
    manifest = asking(written(FORMS[HTTP] + TO_ZERO, min_replicas=0), idling)
    group = deploys(1, manifest)
    group.has(3)
    idling.needs(0)
    group.has(0)
    idling.needs(4)
    group.has(4)
    # The pod autoscaler has no 0, and KEDA wakes a group with one.
    group.went(1, 3, 1, 0, 1, 4)
    idling.needs(0)
    group.has(0)
    idling.kill()
    group.has(manifest["spec"]["fallback"]["replicas"])
    idling.start()
