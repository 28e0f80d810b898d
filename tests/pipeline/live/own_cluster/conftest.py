"""A secured broker that tests share, and topics of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pipeline.live.broker.broker_cluster import Cluster
    from tests.pipeline.live.own_cluster.secured_broker import SecuredBroker


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    """A broker with TLS, logins and rights, for tests with the marker `live`."""
    from tests.pipeline.live.own_cluster import secured_broker

    with secured_broker.started(tmp_path_factory.mktemp("secured") / "broker") as broker:
        yield broker
    broker.cluster.discard_data()


@pytest.fixture
def topic(broker: Cluster) -> Iterator[str]:
    from tests.pipeline.live.own_cluster.user_topic import user_topic

    with user_topic(broker.bootstrap, 3) as name:
        yield name


@pytest.fixture
def secured_topic(secured: SecuredBroker) -> Iterator[str]:
    from tests.pipeline.live.own_cluster.user_topic import user_topic

    with user_topic(secured.cluster.bootstrap, 3) as name:
        yield name
