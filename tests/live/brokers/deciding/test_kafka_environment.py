"""An episode on a pretended cluster: caps and scrapes follow the brokers, and intervals meet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from live.broker_metrics import broker_reader
from live.broker_metrics.declared_metrics import READS
from live.broker_metrics.scraped_values import BrokerValues, Scrape
from live.brokers import elastic_run, record_load
from live.brokers.deciding import kafka_environment
from live.brokers.deciding.kafka_environment import KafkaEnvironment
from live.brokers.elastic_choices import ElasticChoices
from live.brokers.scaling_journal import PLANNED, UP, Scaling, ScalingJournal
from pipeline.base.errors import StageError

pytestmark = pytest.mark.unit

PERIOD_S, DECISION_S = 0.02, 0.1


class PretendedBrokers:
    """Cluster, caps, reader and owner in one; what happens is listed."""

    def __init__(self, brokers: int) -> None:
        self.brokers = list(range(1, brokers + 1))
        self.capped, self.read = set[int](), set[int]()
        self.failed: dict[int, str] = {}
        self.are_read = True
        self.happened: list[str] = []
        self.bootstrap, self.client_file = "localhost:1", Path("login")
        self.journal = Path()
        self._counts = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.happened.append("ended")

    def pid(self, broker: int) -> int:
        return 100 + broker

    def failures(self) -> dict[int, str]:
        return self.failed

    def lift(self, numbers: Iterable[int]) -> None:
        self.capped -= set(numbers)

    def forget(self, numbers: Iterable[int]) -> None:
        self.read -= set(numbers)

    def add(self, nodes: Any) -> None:
        if isinstance(nodes, Mapping):
            self.capped |= nodes.keys()
        else:
            self.read |= {node.number for node in nodes}

    def scrape(self) -> Scrape:
        time.sleep(PERIOD_S)
        if not self.are_read:
            raise StageError("the reader has ended")
        self._counts += 10.0
        values = (self._counts,) * len(READS)
        now = time.monotonic_ns()
        return Scrape({n: BrokerValues(now, values) for n in sorted(self.read)}, {})

    def scale(self, scaling: Scaling, watch: Callable[[Scaling, str], Any]) -> None:
        journal = ScalingJournal(self.journal)
        if scaling.kind == UP:
            watch(scaling, "started")
            self.brokers = sorted([*self.brokers, scaling.broker])
        watch(scaling, PLANNED)
        journal.append(scaling, PLANNED, moves=12)
        self.happened.append(f"moves with {sorted(self.capped)} capped")
        time.sleep(1.5 * DECISION_S)
        if scaling.kind != UP:
            watch(scaling, "stopped")
            self.happened.append(f"stops with {sorted(self.capped)} capped")
            self.brokers.remove(scaling.broker)
        journal.close()


@pytest.fixture
def pretended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretendedBrokers:
    one = PretendedBrokers(3)
    one.journal = tmp_path / "journal.jsonl"

    @contextmanager
    def read(*_: object) -> Iterator[PretendedBrokers]:
        try:
            yield one
        finally:
            one.are_read = False

    @contextmanager
    def load(settings: record_load.LoadSettings, folder: Path) -> Iterator[list[Any]]:
        assert settings.records_per_s == 1000.0
        lines = [f"{n * 1000} {n * 20} {n * 20 * 7_000_000}" for n in range(1, 3)]
        lines.append(f"{time.monotonic_ns()} 1000 {1000 * 9_000_000}")
        Path(settings.file).write_text("\n".join([*lines, ""]))
        yield []

    for name in ("ElasticCluster", "Caps", "ScalingOwner"):
        monkeypatch.setattr(kafka_environment, name, lambda *_: one)
    monkeypatch.setattr(elastic_run, "create_topic", lambda *_: None)
    monkeypatch.setattr(broker_reader, "reading", read)
    monkeypatch.setattr(record_load, "running", load)
    return one


def environment(tmp_path: Path) -> KafkaEnvironment:
    choices = ElasticChoices(records_per_s=1000.0)
    folder = tmp_path / "episode"
    folder.mkdir()
    return KafkaEnvironment(choices, DECISION_S, 5, folder)


def test_brokers_are_capped_and_read_while_they_belong_to_the_cluster(
    pretended: PretendedBrokers, tmp_path: Path
) -> None:
    with environment(tmp_path) as own:
        first = own.begin(3)
        assert pretended.capped == pretended.read == {1, 2, 3}
        joined = own.step(4)
        assert pretended.capped == pretended.read == {1, 2, 3, 4}
        kept = own.step(4)
        left = own.step(3)
        assert pretended.capped == pretended.read == set(pretended.brokers)
    assert [one.brokers for one in (first, joined, kept, left)] == [3, 4, 4, 3]
    # A broker that joins is capped before partitions move, one that leaves until it stops.
    moves, _, stops, *ended = pretended.happened
    assert moves == "moves with [1, 2, 3, 4] capped"
    assert stops == f"stops with {pretended.brokers} capped"
    assert set(ended) == {"ended"}
    assert (joined.moves, kept.moves) == (12, 0)
    # An interval lasts as planned, or until the scaling is over.
    assert joined.scaling_s >= 1.5 * DECISION_S
    assert DECISION_S <= kept.seconds < 10 * DECISION_S
    assert kept.scaling_s != kept.scaling_s
    assert joined.seconds >= joined.scaling_s


def test_a_broker_that_dies_ends_the_episode(pretended: PretendedBrokers, tmp_path: Path) -> None:
    with environment(tmp_path) as own:
        own.begin(3)
        pretended.failed = {2: "broker 2 ended: no memory"}
        with pytest.raises(StageError, match="no memory"):
            own.step(3)
    assert "ended" in pretended.happened
