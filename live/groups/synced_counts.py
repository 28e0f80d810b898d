"""Members of a group that a scaler, KEDA and the pod autoscaler size."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from algorithms.autoscaling.blind_answers import POLLING_S
from live.groups.deployed_form import DeployedForm
from live.groups.keda_player import KedaPlayer
from live.groups.keda_trigger import NoAnswer, Trigger
from live.groups.lag_counts import Wish
from live.processes import child_processes
from live.processes.child_processes import Child
from live.records.journal import Journal
from pipeline.base.errors import StageError

SCALER = "live.scaler.run_scaler_process"

AFTER_LOOK_S = 1.0
"""A sync comes so long after a look that is due at the same time, by the strategies' clock: the
simulation decides on a look at once, a broker takes a moment for it."""


class ScalerFailed(StageError):
    """The scaler has ended before the run began."""


class SyncedCounts:
    """Follows a trigger as KEDA and the pod autoscaler do.

    It writes these entries into the group's journal:

    - ``scaling``: at the beginning; ``strategy``, ``decision_s`` between syncs, ``replicas``.
    - ``sync``: ``time_s`` by the strategies' clock, ``answer`` (null without one), ``members``
      after it, and ``why``.
    - ``fault`` of the trigger's kind: it gave no answer.

    scaler: Process of the scaler, if the trigger asks one.
    """

    places = False

    def __init__(
        self, form: DeployedForm, trigger: Trigger, scaler: Child | None, journal: Journal
    ) -> None:
        self._trigger, self._journal = trigger, journal
        self.children: Sequence[Child] = () if scaler is None else (scaler,)
        self.first = form.settings.initial_replicas
        self._player = KedaPlayer(form.pod_autoscaler(), form.peak)
        self._pace, self._sync_s = form.group.pace, form.argument("sync_s")
        # Nobody asks what has no answer yet.
        first_s, phase_s = trigger.first_s, form.argument("phase_s")
        self._next_s = _first(phase_s, self._sync_s, first_s) + AFTER_LOOK_S
        self._poll_s = _first(POLLING_S, POLLING_S, first_s) + AFTER_LOOK_S
        self._began_ns = 0
        # The first call loads compiled code, which may take seconds.
        form.pod_autoscaler().sync(0.0, self.first, self.first)
        journal.write(
            "scaling",
            strategy=form.candidate.label,
            decision_s=self._sync_s * self._pace,
            replicas=self.first,
        )

    @property
    def is_ready(self) -> bool:
        """Whether the trigger can be asked. Raises ScalerFailed if it never can."""
        for child in self.children:
            if child.status() is not None:
                raise ScalerFailed(f"the scaler has failed: {child.why()}")
        return self._trigger.is_ready

    def begin(self, began_ns: int) -> None:
        """Sync from then on."""
        self._began_ns = began_ns

    def due(self, now_ns: int, members: int) -> Wish | None:
        """What the pod autoscaler wants at a sync."""
        if not self._began_ns:
            return None
        time_s = (now_ns - self._began_ns) / 1e9 / self._pace
        self._trigger.follow(time_s)
        if time_s >= self._poll_s:
            self._poll_s += POLLING_S
            self._player.poll(self._answer())
        if time_s < self._next_s:
            return None
        self._next_s += self._sync_s
        answer = self._answer()
        synced = self._player.sync(time_s, answer, members)
        self._journal.write(
            "sync", time_s=time_s, answer=answer, members=synced.members, why=synced.why
        )
        return Wish(synced.members)

    def close(self) -> None:
        """Ask no more."""
        self._trigger.close()

    def _answer(self) -> int | None:
        try:
            return self._trigger.ask()
        except NoAnswer as error:
            self._journal.write("fault", kind=self._trigger.kind, message=str(error))
            return None


def _first(begin_s: float, every_s: float, least_s: float) -> float:
    """The first of some times that is at or after another."""
    return begin_s + every_s * math.ceil(max(least_s - begin_s, 0.0) / every_s)


def start_scaler(settings_file: Path, rates: Path, label: str, folder: Path) -> Child:
    """Start the scaler of a run."""
    log = folder / "logs" / "scaler.log"
    return child_processes.start_module(SCALER, [settings_file, rates, label], "scaler", log)
