"""A secured broker that tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.pipeline.live.own_cluster.secured_broker import SecuredBroker


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    """A broker with TLS, logins and rights, for tests with the marker `live`."""
    from tests.pipeline.live.own_cluster import secured_broker

    with secured_broker.started(tmp_path_factory.mktemp("secured") / "broker") as broker:
        yield broker
    broker.cluster.discard_data()
