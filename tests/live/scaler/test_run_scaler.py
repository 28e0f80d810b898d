"""The scaler of a live run, from looks that the test plays to KEDA's questions."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from live.groups.deployed_form import deployed_form
from live.groups.keda_trigger import NoAnswer
from live.groups.member_settings import group_id
from live.groups.scaler_client import new_client, port_file
from live.groups.synced_counts import start_scaler
from live.records import rates_file
from live.scaler import run_scaler
from live.scaler.group_look import Look
from live.scaler.scaler_settings import ScalerSettings, ScalerTarget
from live.strategy_kinds import ASKED
from pipeline.base.process import replaced_file
from tests.live.kafka_probe import run_settings
from tests.live.scaler.scaler_fakes import look

pytestmark = pytest.mark.unit

PARTITIONS, PACE = 8, 4 / 30
MU = 120 * PACE
"""Records of a consumer in a second of the strategies' clock."""
RATES = [[60_000.0] * PARTITIONS]
"""Bytes/s: 2.4 times C."""


class FakeClients:
    """Looks at three members, every 5 s of the strategies' clock."""

    pace = 1.0
    rate = 2.0 * MU
    """Records/s in all."""

    def __init__(self, settings: ScalerSettings, target: ScalerTarget) -> None:
        self.settings, self.target = settings, target
        self._at_s, self._end = 0.0, 0
        type(self).made = self

    made: FakeClients

    def now_s(self) -> float:
        return self._at_s

    def look(self) -> Look:
        self._at_s += 5.0
        self._end += round(self.rate * 5.0 / PARTITIONS)
        return look(self._at_s, *[self._end] * PARTITIONS, members=3)


@pytest.mark.parametrize("trigger", ASKED)
def test_from_looks_to_answers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trigger: str
) -> None:
    monkeypatch.setattr(run_scaler, "_PacedClients", FakeClients)
    settings = run_settings("127.0.0.1:1", tmp_path, PARTITIONS)
    form = deployed_form(f"{trigger}:headroom:h=1.15:hold=30", settings, RATES)
    target = run_scaler.scaled_target(settings, form)
    clients = FakeClients.made
    assert (clients.pace, clients.settings.bootstrap) == (PACE, "127.0.0.1:1")
    own = clients.target
    assert (own.group, own.topics) == (group_id(settings), (settings.topic("data"),))
    assert (own.mu, own.members_per_replica, own.max_replicas) == (MU, 1, PARTITIONS)
    client = new_client(trigger, tmp_path, 5.0)
    with ExitStack() as stack:
        port = run_scaler.answering(stack, form, target, 0.5)
        replaced_file.write_json(port_file(tmp_path), {"port": port})
        target.look()
        with pytest.raises(NoAnswer, match="no decision since the start"):
            client.ask()
        target.look()
        # Three partitions of 1.15 x 2 / 8 consumers each, at most.
        assert client.ask() == 3
        clients.rate = 4.0 * MU
        target.look()
        # Two of 1.15 x 4 / 8 are more than a consumer serves.
        assert client.ask() == PARTITIONS


def test_looks_begin_with_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file is half written, then without a beginning, then has one."""
    file = tmp_path / "settings.json"
    settings = run_settings("", tmp_path)
    waits: list[float] = []

    def write(seconds: float) -> None:
        waits.append(seconds)
        replace(settings, began_ns=0 if len(waits) == 1 else 9).save(file)

    monkeypatch.setattr(run_scaler, "time", SimpleNamespace(sleep=write))
    file.write_text('{"run": ')
    assert run_scaler._began_ns(file) == 9
    assert len(waits) == 2


@pytest.mark.parametrize("trigger", ASKED)
def test_the_process_answers_once_it_has_started(tmp_path: Path, trigger: str) -> None:
    """The run never begins, so that it never looks."""
    settings = run_settings("127.0.0.1:1", tmp_path, PARTITIONS)
    file, rates = tmp_path / "settings.json", tmp_path / "rates.bin"
    settings.save(file)
    rates_file.write(rates, RATES * settings.iterations)
    (tmp_path / "logs").mkdir()
    child = start_scaler(file, rates, f"{trigger}:headroom:h=1.15:hold=30", tmp_path)
    client = new_client(trigger, tmp_path, 5.0)
    try:
        until = time.monotonic() + 60
        while not client.is_ready:
            assert child.process.poll() is None, (tmp_path / "logs" / "scaler.log").read_text()
            assert time.monotonic() < until
            time.sleep(0.05)
        with pytest.raises(NoAnswer, match="no decision since the start"):
            client.ask()
    finally:
        client.close()
        child.process.kill()
        child.process.wait()
