"""Who manages the consumers of a run: the project's controller, or Kafka itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

from live.asking.asking_group import AskingCounts
from live.groups.deployed_form import deployed_form
from live.groups.lag_counts import GroupView
from live.groups.own_group import MEMBER, OwnGroup
from live.groups.prometheus_trigger import EndOffsets, PrometheusTrigger
from live.groups.scaler_client import new_client
from live.groups.synced_counts import SyncedCounts, start_scaler
from live.live_settings import LiveSettings
from live.processes.child_processes import Child
from live.processes.controller_link import CONTROLLER, ControllerLink
from live.processes.local_launcher import LocalLauncher
from live.records import rates_file
from live.records.run_clock import RunClock
from live.strategy_kinds import PROMETHEUS, AskingGroup, Controlled, DeployedGroup, Kind, Scaled

ASKING_MEMBER = "live.groups.asking_member_process"


class GroupManager(Protocol):
    """The run's side of what manages its consumers."""

    @property
    def is_ready(self) -> bool:
        """Whether the first consumers have their partitions."""

    @property
    def status(self) -> int | None:
        """Exit status; None before the end."""

    @property
    def children(self) -> Sequence[Child]:
        """Processes to end besides the launcher's."""

    def begin(self, began_ns: int) -> None:
        """Tell when the run begins."""

    def turn(self, wait_s: float) -> None:
        """Do what is to be done, then wait. Raises StageError if the group cannot go on."""

    def has_caught_up(self, counted: bool) -> bool:
        """Whether all is processed. counted: Whether evidence has as many records as were sent."""

    def finish(self) -> None:
        """Have all consumers end."""

    def close(self) -> None:
        """Release what is held, after all processes have ended."""


def new_launcher(settings: LiveSettings, file: Path, kind: Kind) -> LocalLauncher:
    """What starts the consumers of a run."""
    if isinstance(kind, Controlled | Scaled):
        return LocalLauncher(settings, file)
    since_ns = RunClock(settings.clock_offset_ns).now()
    if isinstance(kind, AskingGroup):
        return LocalLauncher(settings, file, ASKING_MEMBER, (str(since_ns),))
    return LocalLauncher(settings, file, MEMBER, (kind.protocol, str(since_ns)))


def new_manager(
    settings: LiveSettings,
    file: Path,
    kind: Kind,
    rates: Path,
    launcher: LocalLauncher,
    controller: str = CONTROLLER,
) -> GroupManager:
    """What manages the consumers of a run, started.

    rates: File with the rates of the stream.
    """
    if isinstance(kind, Controlled | Scaled):
        name = kind.name if isinstance(kind, Controlled) else kind.label
        return ControllerLink(
            settings, file, name, rates, launcher, controller, ended=launcher.statuses
        )
    if isinstance(kind, AskingGroup):
        stream = rates_file.read(rates, settings.iterations, settings.partitions)
        asking = partial(AskingCounts, settings, kind.label, stream)
        return OwnGroup(settings, kind, launcher, asking)
    if not isinstance(kind, DeployedGroup):
        return OwnGroup(settings, kind, launcher)
    return OwnGroup(settings, kind, launcher, _counts(settings, file, kind, rates))


def _counts(
    settings: LiveSettings, file: Path, kind: DeployedGroup, rates: Path
) -> Callable[[GroupView], SyncedCounts]:
    """What sizes a deployed group, once it knows the group."""
    stream = rates_file.read(rates, settings.iterations, settings.partitions)
    form = deployed_form(kind.label, settings, stream)
    if kind.form == PROMETHEUS:
        prometheus = PrometheusTrigger(form, stream, EndOffsets(settings))
        return lambda view: SyncedCounts(form, prometheus, None, view.journal)
    folder = Path(settings.folder)
    scaler = start_scaler(file, rates, kind.label, folder)
    client = new_client(kind.form, folder, form.argument("look_s"))
    return lambda view: SyncedCounts(form, client, scaler, view.journal)
