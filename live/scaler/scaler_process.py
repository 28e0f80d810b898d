"""The process: a thread that looks for each group, the servers, and the file of the last hour."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import ExitStack
from datetime import UTC, datetime

from live.scaler import offset_retention, recent_counts
from live.scaler.answer_server import AnswerServer, health_pages, replica_pages
from live.scaler.asked_targets import AskedTargets
from live.scaler.listen_address import Addresses
from live.scaler.look_clients import LookClients
from live.scaler.recent_counts import RecentCounts
from live.scaler.scaled_target import ScaledTarget
from live.scaler.scaler_settings import ScalerSettings
from live.scaler.server_tls import ServerTls
from pipeline.base.errors import InputError


def run(settings: ScalerSettings, listen: Addresses, is_shadow: bool = False) -> None:
    """Serve until a signal ends the process.

    is_shadow: Whether counts are decided and logged, but never sent.
    Raises InputError if an address cannot be listened on, certificates cannot be used, or a
        strategy needs what is not known.
    """
    with ExitStack() as stack:
        targets = _targets(settings)
        at = _serve(stack, settings, AskedTargets(targets, settings.allow, is_shadow), listen)
        health = AnswerServer("--health-listen", listen.health, health_pages(targets))
        at["health"] = _started(stack, health)
        log("listening", **at, groups=len(targets), shadow=is_shadow, tls=bool(settings.tls))
        ended = threading.Event()
        stack.callback(ended.set)
        stack.callback(_save, settings, targets)
        for target in targets.values():
            threading.Thread(
                target=_look_for_ever,
                args=(target, settings.clock.look_s, ended, is_shadow),
                daemon=True,
            ).start()
        while not ended.wait(settings.clock.look_s):
            _save(settings, targets)


def _serve(
    stack: ExitStack, settings: ScalerSettings, asked: AskedTargets, listen: Addresses
) -> dict[str, str]:
    """Serve KEDA; where."""
    tls = ServerTls(settings.tls, time.monotonic, log) if settings.tls else None
    server = AnswerServer("--listen", listen.http, replica_pages(asked), tls)
    at = {"answers": _started(stack, server)}
    if listen.grpc is not None:
        # It takes 24 MB, which not every scaler needs.
        from live.scaler.scaler_service import ScalerService, ServiceServer

        credentials = tls.credentials() if tls else None
        service = ServiceServer(
            ScalerService(asked, settings.clock.look_s), listen.grpc, credentials
        )
        stack.callback(service.close)
        at["grpc"] = service.address
    return at


def _started(stack: ExitStack, server: AnswerServer) -> str:
    stack.callback(server.server_close)
    server.serve_in_thread()
    return f"{server.server_name}:{server.server_port}"


def _targets(settings: ScalerSettings) -> dict[str, ScaledTarget]:
    recent = _loaded(settings)
    targets = {}
    for name, target in settings.targets.items():
        try:
            clients = LookClients(settings, target)
            look = clients.look
            if target.min_replicas == 0:
                look = offset_retention.noting_looks(clients, name, target, log)
            targets[name] = ScaledTarget(
                name,
                target,
                settings.clock,
                recent.get(name, RecentCounts()),
                look,
                time.monotonic,
                log,
            )
        except InputError as error:
            raise InputError(f"`scale.{name}`: {error}") from None
    return targets


def _look_for_ever(
    target: ScaledTarget, look_s: float, ended: threading.Event, is_shadow: bool
) -> None:
    due_s = time.monotonic()
    while not ended.wait(max(due_s - time.monotonic(), 0.0)):
        if is_shadow or target.is_asked_for:
            target.look()
        due_s = max(due_s + look_s, time.monotonic())


def _loaded(settings: ScalerSettings) -> Mapping[str, RecentCounts]:
    if settings.history is None:
        return {}
    digests = {name: target.digest for name, target in settings.targets.items()}
    try:
        return recent_counts.load(settings.history, digests, time.monotonic(), time.time())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, RecursionError) as error:
        log("history", error=f"{settings.history} is not used: {error}")
        return {}


def _save(settings: ScalerSettings, targets: Mapping[str, ScaledTarget]) -> None:
    if settings.history is None:
        return
    counts = {name: (each.target.digest, each.recent) for name, each in targets.items()}
    try:
        recent_counts.save(settings.history, counts, time.time() - time.monotonic())
    except OSError as error:
        log("history", error=f"{settings.history} cannot be written: {error.strerror}")


def log(what: str, **values: object) -> None:
    """Write a line of JSON to standard output."""
    at = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z"
    line = json.dumps({"time": at, "what": what, **values}, ensure_ascii=False)
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
