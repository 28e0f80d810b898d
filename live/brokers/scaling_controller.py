"""Adds a broker to a cluster, or removes one, phase by phase, so that each phase can be resumed.

Every phase can be done again: a controller that died within one leaves its successor nothing to
guess. Throttles are removed at every kind of end, and at the start of a recovery. If the disk of an
added broker is full, moves wait for space, or are undone.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from live.brokers import reassignment_plans, scaling_journal, throttles
from live.brokers.controlled_cluster import Admin, Nodes
from live.brokers.scaling_journal import (
    BEGUN,
    CANCELLED,
    DONE,
    DOWN,
    PLANNED,
    UNDOING,
    UNDONE,
    UP,
    Scaling,
    ScalingJournal,
)
from live.brokers.throttles import Lists, Resource
from pipeline.base.errors import StageError

MOVE_SECONDS = 900.0
"""Time limit of a move, s."""

WAIT_SECONDS = 60.0
"""Time limit of what needs no copies, s."""

SPACE_SECONDS = 60.0
"""For how long an added broker whose disk is full may wait for space, s."""

LOOK_SECONDS = 0.2
"""Time between two looks."""

CORDON = "cordoned.log.dirs"
"""Configuration of a broker that gets no new replicas; from metadata version 4.3 on."""


class ScalingFailed(StageError):
    """A broker was neither added nor removed in time."""


class NoSpace(Exception):
    """The disk of an added broker stays full."""


class ScalingController:
    """Carries out scalings, one at a time.

    journal: Where each finished phase is stored.
    rate: Bytes/s that a broker sends and fetches for moved partitions.
    planner: One of `live.brokers.elastic_choices.PLANS`.
    watch: Called with the scaling and the phase before each phase, and again and again while
        partitions move (phase ``moved``) and replicas are looked at (``verified``).
    """

    def __init__(
        self,
        nodes: Nodes,
        admin: Admin,
        journal: ScalingJournal,
        rate: int,
        planner: str,
        watch: Callable[[Scaling, str], None] = lambda _scaling, _phase: None,
    ) -> None:
        self._nodes, self._admin, self._journal = nodes, admin, journal
        self._rate, self._planner, self._watch = rate, planner, watch
        self._restarts = 0
        self._full_since: float | None = None
        led = {"unthrottled": self._unthrottle, "elected": self._elect}
        moves = {
            PLANNED: self._plan,
            "throttled": self._throttle,
            "submitted": self._submit,
            "moved": self._await_moves,
            "verified": self._verify,
            **led,
        }
        leaves = {
            "stopped": self._stop,
            # Kafka keeps configurations of unregistered brokers, and then deletes none of them.
            "cleared": self._clear,
            "unregistered": self._unregister,
        }
        self._steps: dict[str, dict[str, Callable[[Scaling], dict[str, Any]]]] = {
            UP: {"started": self._start, **moves},
            DOWN: {"cordoned": self._cordon, **moves, **leaves},
            UNDOING: {"withdrawn": self._withdraw, **led, **leaves},
        }

    def scale(self, scaling: Scaling) -> None:
        """Add or remove a broker; one whose disk stays full is taken out again.

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

        Replicas that have arrived stay; the others stay where they were. No broker is stopped. What
        is being undone already is finished.
        """
        scaling = self._journal.unfinished()
        if scaling is None or UNDOING in self._journal.of(scaling):
            return self.resume()
        moving = self._admin.moving()
        self._admin.reassign(dict.fromkeys(moving))
        self._wait(lambda: not self._admin.moving(), WAIT_SECONDS, "a reassignment stays")
        self._unthrottle(scaling)
        if self._journal.of(scaling).get("cordoned", {}).get("cordoned"):
            self._admin.configure({Resource(throttles.BROKER, str(scaling.broker)): {CORDON: None}})
        led = self._elected(set(self._admin.brokers()))
        self._journal.append(scaling, CANCELLED, moving=len(moving), **led)
        return scaling

    def _go_on(self, scaling: Scaling, again: set[str]) -> None:
        """Do the phases that are missing. again: Phases that are, unless partitions have moved."""
        finished = self._journal.of(scaling)
        if "moved" not in finished:
            finished = {phase: e for phase, e in finished.items() if phase not in again}
        is_undoing = UNDOING in finished
        try:
            for phase, step in self._steps[UNDOING if is_undoing else scaling.kind].items():
                if phase not in finished:
                    self._watch(scaling, phase)
                    self._journal.append(scaling, phase, **step(scaling))
        except NoSpace:
            self._journal.append(scaling, UNDOING, restarts=self._restarts)
            self._go_on(scaling, set())
        except BaseException:
            self._unthrottle(scaling)
            raise
        else:
            self._journal.append(scaling, UNDONE if is_undoing else DONE)

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
        plan = reassignment_plans.plan(self._planner, self._admin, placement, added, removed)
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
        self._restarts, self._full_since = 0, None

        def is_over() -> bool:
            self._watch(scaling, "moved")
            self._revive(scaling)
            return not self._admin.moving()

        self._wait(is_over, MOVE_SECONDS, "partitions still move")
        return {"restarts": self._restarts}

    def _revive(self, scaling: Scaling) -> bool:
        """Restart an added broker that has ended, or whose disk was full; its copies go on.

        False while its disk is full. Raises NoSpace if it stays full.
        """
        if scaling.kind != UP:
            return True
        if self._nodes.is_full(scaling.broker):
            self._full_since = self._full_since or time.monotonic()
            if time.monotonic() - self._full_since > SPACE_SECONDS:
                raise NoSpace
            return False
        if self._full_since is not None:
            # Copies that failed do not begin again in a process that has survived.
            self._nodes.kill(scaling.broker)
            self._full_since = None
        if self._nodes.has_ended(scaling.broker):
            self._nodes.start(scaling.broker)
            self._restarts += 1
        return True

    def _verify(self, scaling: Scaling) -> dict[str, Any]:
        """Wait until lists and logs are those of the plan, and nothing is left on a drained one."""
        _, after, _ = self._planned(scaling)
        # Those of the phase before count on, also in another controller.
        self._restarts = self._journal.of(scaling)["moved"]["restarts"]

        def is_as_planned() -> bool:
            self._watch(scaling, "verified")
            return self._is_as_planned(scaling, after)

        self._wait(
            is_as_planned,
            WAIT_SECONDS + SPACE_SECONDS,
            f"replicas are not as planned when broker {scaling.broker} is to be "
            f"{'used' if scaling.kind == UP else 'stopped'}",
        )
        return {"restarts": self._restarts}

    def _is_as_planned(self, scaling: Scaling, after: Lists) -> bool:
        if not self._revive(scaling):
            return False
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
        alive, lists = self._alive(brokers), self._admin.lists()
        present = {one: row for one, row in after.items() if one in lists}
        self._admin.configure(throttles.unthrottled(present, alive))
        return {"away": sorted(set(brokers) - set(alive))}

    def _elect(self, scaling: Scaling) -> dict[str, Any]:
        """Make preferred leaders lead, and count leaders of the brokers that stay."""
        leaves = scaling.kind == DOWN or UNDOING in self._journal.of(scaling)
        return self._elected(set(self._admin.brokers()) - ({scaling.broker} if leaves else set()))

    def _elected(self, remaining: set[int]) -> dict[str, Any]:
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
        counts = {broker: leaders.count(broker) for broker in sorted(remaining)}
        return {
            "leaders": counts,
            "leader_spread": max(counts.values()) - min(counts.values()),
            "leaderless": leaders.count(-1),
        }

    def _withdraw(self, scaling: Scaling) -> dict[str, Any]:
        """Take an added broker out again: all lists become what they were before the plan."""
        # A process that has survived would take copies until its log directory fails.
        self._nodes.kill(scaling.broker)
        self._unthrottle(scaling)
        self._admin.reassign(dict.fromkeys(self._admin.moving()))
        self._wait(lambda: not self._admin.moving(), WAIT_SECONDS, "a reassignment stays")
        before, _, _ = self._planned(scaling)
        lists = self._admin.lists()
        back = {one: row for one, row in before.items() if lists.get(one, tuple(row)) != tuple(row)}
        self._admin.reassign(back)

        def is_back() -> bool:
            if self._admin.moving():
                return False
            lists = self._admin.lists()
            return all(lists.get(one, tuple(row)) == tuple(row) for one, row in before.items())

        self._wait(is_back, MOVE_SECONDS, f"replicas do not leave broker {scaling.broker}")
        return {"back": len(back)}

    def _stop(self, scaling: Scaling) -> dict[str, Any]:
        self._nodes.stop(scaling.broker)
        return {}

    def _unregister(self, scaling: Scaling) -> dict[str, Any]:
        self._admin.unregister(scaling.broker)
        return {}

    def _clear(self, scaling: Scaling) -> dict[str, Any]:
        phases = self._journal.of(scaling)
        names = [CORDON] if phases.get("cordoned", {}).get("cordoned") else []
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
