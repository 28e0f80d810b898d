"""The scaler of a live run: `groupscale scaler` with a clock that runs at the run's pace."""

from __future__ import annotations

import time
from contextlib import ExitStack
from pathlib import Path

from algorithms.autoscaling.blind_answers import HOUR_S
from live import live_settings
from live.groups.deployed_form import DeployedForm, deployed_form
from live.groups.member_settings import group_id
from live.groups.scaler_client import HERE, NAME, NAMESPACE, port_file
from live.live_settings import LiveSettings
from live.records import rates_file
from live.records.run_clock import RunClock
from live.scaler.answer_server import AnswerServer, replica_pages
from live.scaler.asked_targets import AskedTargets
from live.scaler.listen_address import Address
from live.scaler.look_clients import LookClients
from live.scaler.recent_counts import RecentCounts
from live.scaler.scaled_target import ScaledTarget
from live.scaler.scaler_process import log
from live.scaler.scaler_settings import Clock, ScalerSettings, ScalerTarget
from live.strategy_kinds import EXTERNAL
from pipeline.base.process import replaced_file

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
    target, look_s = scaled_target(settings, form), form.argument("look_s") * form.group.pace
    with ExitStack() as stack:
        port = answering(stack, form, target, look_s)
        replaced_file.write_json(port_file(Path(settings.folder)), {"port": port})
        _look_for_ever(target, _began_ns(file), look_s, settings)


def answering(stack: ExitStack, form: DeployedForm, target: ScaledTarget, look_s: float) -> int:
    """Answer as the form's trigger asks, until the stack ends; the port."""
    asked = AskedTargets({target.name: target}, _rights(target.target))
    if form.trigger == EXTERNAL:
        # As in `scaler_process`: it takes memory that a run over HTTP does not need.
        from live.scaler.scaler_service import ScalerService, ServiceServer

        service = ServiceServer(ScalerService(asked, look_s), Address(HERE, 0))
        stack.callback(service.close)
        return service.port
    server = AnswerServer("--listen", Address(HERE, 0), replica_pages(asked))
    stack.callback(server.server_close)
    server.serve_in_thread()
    return server.server_port


def scaler_target(settings: LiveSettings, form: DeployedForm) -> ScalerTarget:
    """The run's group, as the scaler's file would have it."""
    own = form.settings
    return ScalerTarget(
        topics=(settings.topic("data"),),
        group=group_id(settings),
        strategy=form.inner,
        mu=own.mu,
        min_replicas=own.min_replicas,
        max_replicas=own.max_replicas,
        members_per_replica=1,
    )


def scaled_target(settings: LiveSettings, form: DeployedForm) -> ScaledTarget:
    """The run's group, of which the brokers are asked."""
    target, clock = scaler_target(settings, form), Clock(look_s=form.argument("look_s"))
    name = f"{NAMESPACE}/{NAME}"
    own = ScalerSettings(
        bootstrap=settings.bootstrap,
        properties=settings.security,
        history=None,
        grpc_listen="",
        tls=None,
        clock=clock,
        allow=_rights(target),
        targets={name: target},
    )
    clients = _PacedClients(own, target)
    clients.pace = form.group.pace
    # As a scaler that has run for an hour: it need not hold what it found when it started.
    recent = RecentCounts([(clients.now_s() - HOUR_S, form.settings.initial_replicas)])
    return ScaledTarget(name, target, clock, recent, clients.look, clients.now_s, log)


def _rights(target: ScalerTarget) -> dict[str, dict[str, tuple[str, ...]]]:
    return {NAMESPACE: {"groups": (target.group,), "topics": target.topics}}


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
