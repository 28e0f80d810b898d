"""A broker that tests share, each with a run of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """A cluster of one node, for tests with the marker `live` that leave it as it is."""
    from live.kafka.broker_cluster import Cluster

    with Cluster(tmp_path_factory.mktemp("broker") / "cluster") as cluster:
        yield cluster
    cluster.discard_data()
