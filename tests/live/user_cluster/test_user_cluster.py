"""A run on a user's cluster: logs in everywhere, and writes topics of its own prefix alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from live.kafka import topics
from live.kafka.topic_settings import new_topic
from live.login import client_properties
from live.login.client_properties import NO_PROPERTIES
from live.user_cluster import cluster_access, user_cluster
from pipeline.base.errors import InputError
from tests.live.kafka_probe import run_settings
from tests.live.runs import strategy_run_probe

if TYPE_CHECKING:
    from live.kafka.broker_cluster import Cluster
    from tests.live.user_cluster.secured_broker import SecuredBroker


@pytest.mark.slow
@pytest.mark.unit
def test_nobody_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_access, "REACH_SECONDS", 0.5)
    with pytest.raises(InputError, match=r"no Kafka broker answers at 127\.0\.0\.1:1 within"):
        user_cluster.opened("127.0.0.1:1", NO_PROPERTIES, 1, ["r.1"])
    with pytest.raises(InputError, match="`--bootstrap` must be HOST:PORT"):
        user_cluster.opened("127.0.0.1", NO_PROPERTIES, 1, ["r.1"])


@pytest.mark.live
def test_what_is_refused(broker: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from confluent_kafka.admin import AdminClient

    cluster = user_cluster.opened(broker.bootstrap, NO_PROPERTIES, 1, ["r.1"])
    assert cluster.bootstrap == broker.bootstrap
    assert cluster.version.startswith("4.")
    with pytest.raises(InputError, match=r"`nodes` must be at most .* \(got 3, and .* has 1\)"):
        user_cluster.opened(broker.bootstrap, NO_PROPERTIES, 3, ["r.1"])
    settings = run_settings(broker.bootstrap, tmp_path)
    client = AdminClient({"bootstrap.servers": broker.bootstrap})
    client.create_topics([new_topic(settings, "speed", None)])[settings.topic("speed")].result(20)
    try:
        with pytest.raises(InputError, match=f"exist already \\({settings.topic('speed')}\\)"):
            user_cluster.opened(broker.bootstrap, NO_PROPERTIES, 1, ["other", settings.run])
    finally:
        topics.delete(broker.bootstrap, settings.run)
    monkeypatch.setattr(user_cluster, "versions_of", lambda *_: {1: (4, 1), 2: (3, 9)})
    with pytest.raises(InputError, match=r"4\.0 or later \(broker 2 of .* is 3\.9\); upgrade it"):
        user_cluster.opened(broker.bootstrap, NO_PROPERTIES, 1, ["r.1"])


@pytest.mark.live
def test_a_run_logs_in_and_writes_its_own_topics_only(
    secured: SecuredBroker, tmp_path: Path
) -> None:
    """Its user has no rights outside ``gs.``, so whatever else it wrote would fail."""
    from dataclasses import replace

    from live.runs.live_run import measure_strategy
    from pipeline.experiments.live.evidence import run_folder
    from pipeline.experiments.live.evidence.partition_integrity import integrity
    from tests.live.user_cluster.secured_broker import MAY_RUN, SECRET

    file = secured.properties(tmp_path / "client.properties", MAY_RUN)
    properties = client_properties.read(file)
    for number, strategy in enumerate(("MWF", "kafka_848_2")):
        settings = replace(
            strategy_run_probe.settings(tmp_path / strategy),
            run=f"secured.{number}",
            client_file=str(file),
            speeds="measured" if strategy == "MWF" else "given",
        )
        cluster = user_cluster.opened(secured.bootstrap, properties, 1, [settings.run])
        folder = measure_strategy(settings, strategy_run_probe.rates(), strategy, cluster)
        rows = integrity(run_folder.read(folder))
        assert sum(row.sent for row in rows) > 1000
        assert [(row.lost, row.twice) for row in rows] == [(0, 0)] * len(rows)
        texts = [f.read_text() for f in folder.rglob("*.json*")] + [
            f.read_text() for f in folder.rglob("*.log")
        ]
        assert not any(SECRET in text for text in texts)
    assert topics.runs(secured.cluster.bootstrap) == []
