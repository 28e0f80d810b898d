"""A secured broker that tests share, and topics of their own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.pipeline.conftest import home

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from tests.live.user_cluster.secured_broker import SecuredBroker

__all__ = ["home"]


@pytest.fixture(scope="session")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredBroker]:
    """A broker with TLS, logins and rights, for tests with the marker `live`."""
    from tests.live.user_cluster import secured_broker

    with secured_broker.started(tmp_path_factory.mktemp("secured") / "broker") as broker:
        yield broker
    broker.cluster.discard_data()


@pytest.fixture
def topic(broker: Cluster) -> Iterator[str]:
    from tests.live.user_cluster.user_topic import user_topic

    with user_topic(broker.bootstrap, 3) as name:
        yield name


@pytest.fixture
def secured_topic(secured: SecuredBroker) -> Iterator[str]:
    from tests.live.user_cluster.user_topic import user_topic

    with user_topic(secured.cluster.bootstrap, 3) as name:
        yield name
