"""The scaler of a live run: `groupscale scaler` with a clock that runs at the run's pace."""

from __future__ import annotations

import json
import time
from pathlib import Path

from live import live_settings
from live.groups.deployed_form import DeployedForm, deployed_form
from live.groups.member_settings import group_id
from live.groups.scaler_client import NAME, NAMESPACE, port_file
from live.live_settings import LiveSettings
from live.records import rates_file
from live.records.run_clock import RunClock
from live.scaler.answer_server import Address, AnswerServer, replica_pages
from live.scaler.look_clients import LookClients
from live.scaler.recent_counts import HOUR_S, RecentCounts
from live.scaler.scaled_target import ScaledTarget
from live.scaler.scaler_process import log
from live.scaler.scaler_settings import Clock, ScalerSettings, ScalerTarget

_TURN_S = 0.02


class _PacedClients(LookClients):
    """Clients whose clock is the strategies'."""

    pace = 1.0

    def now_s(self) -> float:
        """The monotonic clock at the run's pace, seconds."""
        return super().now_s() / self.pace


def serve(file: Path, rates: Path, label: str) -> None:
    """Decide for the run's group, and answer, until the process is killed.

    file, rates: Files with the run's settings and rates.
    label: The deployed form that the run measures.
    """
    settings = live_settings.load(file)
    stream = rates_file.read(rates, settings.iterations, settings.partitions)
    form = deployed_form(label, settings, stream)
    target = _scaled_target(settings, form)
    pages = replica_pages({target.name: target}, {NAMESPACE: ()})
    with AnswerServer("--listen", Address("127.0.0.1", 0), pages) as server:
        server.serve_in_thread()
        _say(port_file(Path(settings.folder)), server.server_port)
        began_ns = _began_ns(file)
        _look_for_ever(target, began_ns, form.argument("look_s") * form.group.pace, settings)


def scaler_target(settings: LiveSettings, form: DeployedForm) -> ScalerTarget:
    """The run's group, as the scaler's file would have it."""
    own = form.settings
    return ScalerTarget(
        topic=settings.topic("data"),
        group=group_id(settings),
        strategy=form.inner,
        mu=own.mu,
        min_replicas=own.min_replicas,
        max_replicas=own.max_replicas,
        members_per_replica=1,
    )


def _scaled_target(settings: LiveSettings, form: DeployedForm) -> ScaledTarget:
    target, clock = scaler_target(settings, form), Clock(look_s=form.argument("look_s"))
    name = f"{NAMESPACE}/{NAME}"
    rights = {NAMESPACE: {"groups": (target.group,), "topics": (target.topic,)}}
    own = ScalerSettings(settings.bootstrap, settings.security, None, clock, rights, {name: target})
    clients = _PacedClients(own, target)
    clients.pace = form.group.pace
    # As a scaler that has run for an hour: it need not hold what it found when it started.
    recent = RecentCounts([(clients.now_s() - HOUR_S, form.settings.initial_replicas)])
    return ScaledTarget(name, target, clock, recent, clients.look, clients.now_s, log)


def _say(file: Path, port: int) -> None:
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps({"port": port}), encoding="utf-8")
    partial.replace(file)


def _began_ns(file: Path) -> int:
    """When the run begins, as soon as its settings say so."""
    while True:
        try:
            began_ns = live_settings.load(file).began_ns
        except ValueError:  # The file is just being written.
            began_ns = 0
        if began_ns:
            return began_ns
        time.sleep(_TURN_S)


def _look_for_ever(
    target: ScaledTarget, began_ns: int, period_s: float, settings: LiveSettings
) -> None:
    """Look at the beginning of the run, and each period from then on; skip what is too late."""
    clock, number = RunClock(settings.clock_offset_ns), 0
    while True:
        time.sleep(max(began_ns / 1e9 + number * period_s - clock.now() / 1e9, 0.0))
        target.look()
        number = max(number + 1, int((clock.now() - began_ns) / 1e9 / period_s))
