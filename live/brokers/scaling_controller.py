"""Adds a broker to a cluster, or removes one, phase by phase, so that each phase can be resumed.

Every phase can be done again: a controller that died within one leaves its successor nothing to
guess. Throttles are removed at every kind of end, and at the start of a recovery.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from live.brokers import scaling_journal, throttles
from live.brokers.scaling_journal import (
    BEGUN,
    CANCELLED,
    DONE,
    DOWN,
    PLANNED,
    UP,
    Scaling,
    ScalingJournal,
)
from live.brokers.throttles import Change, Lists, Resource
from live.user_cluster import broker_plan
from live.user_cluster.cluster_placement import ClusterPlacement
from live.user_cluster.replica_logs import Partition
from pipeline.base.errors import StageError

MOVE_SECONDS = 900.0
"""Time limit of a move, s."""

WAIT_SECONDS = 60.0
"""Time limit of what needs no copies, s."""

LOOK_SECONDS = 0.2
"""Time between two looks."""

CORDON = "cordoned.log.dirs"
"""Configuration of a broker that gets no new replicas; from metadata version 4.3 on."""


class ScalingFailed(StageError):
    """A broker was neither added nor removed in time."""


class Nodes(Protocol):
    """Processes of the brokers."""

    def start(self, broker: int) -> None:
        """Start one, unless it runs, and wait until it answers."""

    def stop(self, broker: int) -> None:
        """End one in order."""

    def has_ended(self, broker: int) -> bool:
        """Whether it has ended by itself."""


class Admin(Protocol):
    """Questions and orders to a cluster."""

    def brokers(self) -> list[int]:
        """Brokers that are registered and answer."""

    def placement(self) -> ClusterPlacement:
        """Replicas of all topics; raises InputError while partitions move."""

    def lists(self) -> dict[Partition, tuple[int, ...]]:
        """Brokers of all partitions, the preferred leader first."""

    def leaders(self) -> dict[Partition, int]:
        """Leader of each partition; -1 without one."""

    def logs(self, broker: int) -> set[Partition]:
        """Logs on a broker."""

    def moving(self) -> set[Partition]:
        """Partitions whose reassignment is under way."""

    def reassign(self, lists: Mapping[Partition, Iterable[int] | None]) -> None:
        """Order moves; None cancels one."""

    def configure(self, changes: Mapping[Resource, Change]) -> None:
        """Change dynamic configurations."""

    def cordon(self, broker: int) -> bool:
        """Keep new replicas away from a broker; False if its cluster cannot."""

    def elect(self) -> None:
        """Make preferred leaders lead."""

    def unregister(self, broker: int) -> None:
        """Forget a broker that has ended."""

    def clear(self, broker: int, names: Iterable[str]) -> None:
        """Delete dynamic configurations of a broker that has ended and is registered."""


class ScalingController:
    """Carries out scalings, one at a time.

    journal: Where each finished phase is stored.
    rate: Bytes/s that a broker sends and fetches for moved partitions.
    watch: Called with the scaling and the phase before each phase, and again and again while
        partitions move (phase ``moved``).
    """

    def __init__(
        self,
        nodes: Nodes,
        admin: Admin,
        journal: ScalingJournal,
        rate: int,
        watch: Callable[[Scaling, str], None] = lambda _scaling, _phase: None,
    ) -> None:
        self._nodes, self._admin, self._journal = nodes, admin, journal
        self._rate, self._watch = rate, watch
        self._restarts = 0
        moves = {
            PLANNED: self._plan,
            "throttled": self._throttle,
            "submitted": self._submit,
            "moved": self._await_moves,
            "verified": self._verify,
            "unthrottled": self._unthrottle,
            "elected": self._elect,
        }
        self._steps: dict[str, dict[str, Callable[[Scaling], dict[str, Any]]]] = {
            UP: {"started": self._start, **moves},
            DOWN: {
                "cordoned": self._cordon,
                **moves,
                "stopped": self._stop,
                # Kafka keeps configurations of unregistered brokers, and then deletes none of them.
                "cleared": self._clear,
                "unregistered": self._unregister,
            },
        }

    def scale(self, scaling: Scaling) -> None:
        """Add or remove a broker.

        Raises ScalingFailed if it takes too long, or a broker keeps what it should not.
        """
        self._journal.append(scaling, BEGUN)
        self._go_on(scaling, set())

    def resume(self) -> Scaling | None:
        """Finish the scaling that was broken off, if there is one; returns it."""
        scaling = self._journal.unfinished()
        if scaling is not None:
            self._unthrottle(scaling)
            # Throttles are gone, and moves may be: both are ordered again, unless all have arrived.
            self._go_on(scaling, {"throttled", "submitted"})
        return scaling

    def cancel(self) -> Scaling | None:
        """Stop the moves of the scaling that was broken off, if there is one; returns it.

        Replicas that have arrived stay; the others stay where they were. No broker is stopped.
        """
        scaling = self._journal.unfinished()
        if scaling is None:
            return None
        moving = self._admin.moving()
        self._admin.reassign(dict.fromkeys(moving))
        self._wait(lambda: not self._admin.moving(), WAIT_SECONDS, "a reassignment stays")
        self._unthrottle(scaling)
        if self._journal.of(scaling).get("cordoned", {}).get("cordoned"):
            self._admin.configure({Resource(throttles.BROKER, str(scaling.broker)): {CORDON: None}})
        self._admin.elect()
        self._journal.append(scaling, CANCELLED, moving=len(moving))
        return scaling

    def _go_on(self, scaling: Scaling, again: set[str]) -> None:
        """Do the phases that are missing. again: Phases that are, unless partitions have moved."""
        finished = self._journal.of(scaling)
        if "moved" not in finished:
            finished = {phase: e for phase, e in finished.items() if phase not in again}
        try:
            for phase, step in self._steps[scaling.kind].items():
                if phase not in finished:
                    self._watch(scaling, phase)
                    self._journal.append(scaling, phase, **step(scaling))
        except BaseException:
            self._unthrottle(scaling)
            raise
        self._journal.append(scaling, DONE)

    def _start(self, scaling: Scaling) -> dict[str, Any]:
        self._nodes.start(scaling.broker)
        self._wait(
            lambda: scaling.broker in self._admin.brokers(),
            WAIT_SECONDS,
            f"broker {scaling.broker} does not register",
        )
        return {}

    def _cordon(self, scaling: Scaling) -> dict[str, Any]:
        return {"cordoned": self._admin.cordon(scaling.broker)}

    def _plan(self, scaling: Scaling) -> dict[str, Any]:
        placement = self._admin.placement()
        added = [scaling.broker] if scaling.kind == UP else []
        removed = [scaling.broker] if scaling.kind == DOWN else []
        plan = broker_plan.plan(placement, added, removed, has_racks=False)
        measures = plan.measures
        replicas = [line.replicas[1] for line in plan.lines if line.broker not in removed]
        return {
            "before": scaling_journal.stored_lists(
                {one: placement.replicas[one] for one in plan.changes}
            ),
            "after": scaling_journal.stored_lists(plan.changes),
            "brokers": sorted({*placement.racks, *added}),
            "partitions": len(placement.replicas),
            "moves": measures.moves,
            "bound": plan.bound,
            "bytes": sum(line.arriving for line in plan.lines),
            "spread": max(replicas) - min(replicas),
        }

    def _throttle(self, scaling: Scaling) -> dict[str, Any]:
        before, after, brokers = self._planned(scaling)
        alive = self._alive(brokers)
        self._admin.configure(throttles.throttled(before, after, alive, self._rate))
        return {}

    def _submit(self, scaling: Scaling) -> dict[str, Any]:
        _, after, _ = self._planned(scaling)
        present = self._admin.lists()
        # A topic may have been deleted since.
        missing = {
            one: row for one, row in after.items() if present.get(one, tuple(row)) != tuple(row)
        }
        self._admin.reassign(missing)
        return {}

    def _await_moves(self, scaling: Scaling) -> dict[str, Any]:
        self._restarts = 0

        def is_over() -> bool:
            self._watch(scaling, "moved")
            self._revive(scaling)
            return not self._admin.moving()

        self._wait(is_over, MOVE_SECONDS, "partitions still move")
        return {"restarts": self._restarts}

    def _revive(self, scaling: Scaling) -> None:
        """Restart an added broker that has ended; its copies are kept, and go on."""
        if scaling.kind == UP and self._nodes.has_ended(scaling.broker):
            self._nodes.start(scaling.broker)
            self._restarts += 1

    def _verify(self, scaling: Scaling) -> dict[str, Any]:
        """Wait until lists and logs are those of the plan, and nothing is left on a drained one."""
        _, after, _ = self._planned(scaling)
        self._wait(
            lambda: self._is_as_planned(scaling, after),
            WAIT_SECONDS,
            f"replicas are not as planned when broker {scaling.broker} is to be "
            f"{'used' if scaling.kind == UP else 'stopped'}",
        )
        return {}

    def _is_as_planned(self, scaling: Scaling, after: Lists) -> bool:
        self._revive(scaling)
        lists = self._admin.lists()
        if any(tuple(lists.get(one, row)) != tuple(row) for one, row in after.items()):
            return False
        own = {one for one, row in lists.items() if scaling.broker in row}
        if self._nodes.has_ended(scaling.broker):
            return not own
        return self._admin.logs(scaling.broker) == own and (scaling.kind == UP or not own)

    def _unthrottle(self, scaling: Scaling) -> dict[str, Any]:
        """Remove the throttles of the plan, if there is one."""
        if PLANNED not in self._journal.of(scaling):
            return {}
        _, after, brokers = self._planned(scaling)
        alive = self._alive(brokers)
        present = {one: row for one, row in after.items() if one in self._admin.lists()}
        self._admin.configure(throttles.unthrottled(present, alive))
        return {"away": sorted(set(brokers) - set(alive))}

    def _elect(self, scaling: Scaling) -> dict[str, Any]:
        """Make preferred leaders lead, and count leaders per broker."""

        def do_lead() -> bool:
            leaders = self._admin.leaders()
            alive = set(self._alive(self._admin.brokers()))
            if all(
                leaders.get(one) == row[0] or row[0] not in alive
                for one, row in self._admin.lists().items()
            ):
                return True
            self._admin.elect()
            return False

        self._wait(do_lead, WAIT_SECONDS, "partitions are not led by their preferred leaders")
        leaders = list(self._admin.leaders().values())
        remaining = set(self._admin.brokers())
        if scaling.kind == DOWN:
            remaining.discard(scaling.broker)
        counts = {broker: leaders.count(broker) for broker in sorted(remaining)}
        return {
            "leaders": counts,
            "leader_spread": max(counts.values()) - min(counts.values()),
            "leaderless": leaders.count(-1),
        }

    def _stop(self, scaling: Scaling) -> dict[str, Any]:
        self._nodes.stop(scaling.broker)
        return {}

    def _unregister(self, scaling: Scaling) -> dict[str, Any]:
        self._admin.unregister(scaling.broker)
        return {}

    def _clear(self, scaling: Scaling) -> dict[str, Any]:
        phases = self._journal.of(scaling)
        names = [CORDON] if phases["cordoned"]["cordoned"] else []
        if scaling.broker in phases["unthrottled"]["away"]:
            names += throttles.RATES
        self._admin.clear(scaling.broker, names)
        return {}

    def _alive(self, brokers: Iterable[int]) -> list[int]:
        """Those of brokers that answer."""
        answering = set(self._admin.brokers())
        return [one for one in brokers if one in answering and not self._nodes.has_ended(one)]

    def _planned(self, scaling: Scaling) -> tuple[Lists, Lists, list[int]]:
        """Lists before and after, and the brokers, of the plan."""
        entry = self._journal.of(scaling)[PLANNED]
        before, after = (scaling_journal.read_lists(entry[name]) for name in ("before", "after"))
        return before, after, entry["brokers"]

    def _wait(self, condition: Callable[[], bool], seconds: float, problem: str) -> None:
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                raise ScalingFailed(f"{problem} after {seconds:.0f} s")
            time.sleep(LOOK_SECONDS)
