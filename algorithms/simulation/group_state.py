"""What the simulation of a consumer group works on: arrays, which its kernels change in place."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from algorithms.assignment.assignors import placement
from algorithms.core.arrays import Bools, Floats, Longs
from algorithms.simulation import incident_rows, incident_state
from algorithms.simulation.group_rules import Rules
from algorithms.simulation.incident_state import Incidents

UNOWNED = -1

NOW, DUE, BEGUN, SECOND, HAPPENS = range(5)
"""Times in s: now, of the next group event, at which the last action began, of the second round of
its rebalance, and at which an incident next changes something."""

REPLICA_SECONDS, STALLED_SECONDS, PEAK_LAG, LAG, REPROCESSED = range(5)
"""Figures up to the last step: replica-seconds, unserved partition-seconds, the greatest total lag,
the present one, and events to be served again."""

(
    STEP,
    DECIDED,
    ARRIVED,
    PHASE,
    MEMBERS,
    PAID,
    ENTERING,
    ASKED,
    ACTIONS,
    WAITING,
    WAITING_KIND,
    TARGET,
    TARGET_KIND,
    STALLED,
    UP,
    DOWN,
    REASSIGNED,
    MOVED,
    LATER,
) = range(19)
"""Counters: the step, whether its decision was made and its burst has arrived; the phase of the
action under way; members, paid replicas, replicas that have not joined yet; the last count asked
for; actions begun; count and kind of the waiting answer, `NO_ANSWER` if there is none, and of the
answer that is being carried out; unserved partitions; the figures; replicas of the action that join
after others of it."""

SETTLED, STARTING, JOINED, FINISHING, RESUMING, HELD = range(6)
"""Phases of an action: none is under way; replicas start; members wait for the rebalance; they
finish their batches; moved partitions wait. Held: none is under way, and answers wait for an
incident."""

NO_ANSWER = -1
COUNT, RANKS, IDS = range(3)
"""Kinds of answers: a count only; ranks of members; ids of consumers."""

EAGER, COOPERATIVE, INCREMENTAL = range(3)

WHOLE, DRAWN, IN_STEP = range(3)
"""When members learn of a rebalance."""

SINCE, ASSIGNED, REJOINS = range(3)
"""Times in s: from which heartbeats in step count, and at which the coordinator of ``incremental``
assigned last; and whether the first member has the group rebalance, 1.0 if so."""

(
    PAID_AT_END,
    LAG_AT_END,
    SERVED_SO_FAR,
    LATE_SO_FAR,
    STALLED_TIME,
    PAID_TIME,
    LONGEST_WAIT,
) = range(7)
"""Columns of the record of steps: paid replicas and lag as the step ends; events that departed
until then, and those of them above the limit; unserved partition-seconds and paid replica-seconds
of the step, and the longest wait of an event that departed in it."""

BEGUN_AT, SETTLED_AT, BEFORE, AFTER, PARTITIONS_MOVED = range(5)
"""Columns of the record of actions: times in s at which each one began and all partitions were
consumed again; members before and after; moved partitions."""

SAME_INSTANT_S = 1e-9
"""Times that differ by no more through rounding are one instant."""


class Partitions(NamedTuple):
    """State of P partitions."""

    lags: Floats
    """float64[P]: events that have arrived and not departed."""
    owners: Longs
    last_owners: Longs
    """`owners`, `last_owners`: int64[P]: member that owns each partition, -1 for none, and the last
    one that did."""
    resumes: Floats
    """float64[P]: time from which the owner consumes, in s."""
    head_steps: Longs
    """int64[P]: step in which the oldest waiting event arrived."""
    gone: Floats
    """float64[P]: events of that step that have departed."""
    consumed: Bools
    """bool[P]: whether events departed since the last decision, or the last commit where there are
    any."""


class Members(NamedTuple):
    """The members, and which partitions they serve now."""

    ids: Longs
    """int64[M]: ids of the members, ascending."""
    places: Longs
    """int64[I]: position of each id among the members, -1 if it is not in use."""
    speeds: Floats
    """float64[M]: events/s that each member serves in this step."""
    served: Longs
    """int64[P]: partitions grouped by the member that serves them, ascending; last, unserved
    ones."""
    ranked: Longs
    """int64[P]: the same groups, each by lag when its member last served without arrivals, largest
    first."""
    starts: Longs
    """int64[M + 2]: where the group of each member begins in `served`."""
    stops: Floats
    """float64[M]: when each member has served its batch and joins the round, in s."""


class Commits(NamedTuple):
    """What the group has committed."""

    due: Floats
    """float64[I]: time of the next commit of each member, by id, in s."""
    at: Floats
    """float64[P]: time of the last commit of each partition, in s."""
    bursts: Longs
    """int64[P]: steps whose bursts had arrived then."""
    lags: Floats
    before: Floats
    """`lags`, `before`: float64[P]: lag then; scratch space for lags before an interval."""
    advanced: Bools
    """bool[P]: which partitions have committed more than at the last decision."""
    again: Floats
    """float64[P]: events of a removed member that the next owner serves again first."""


class Order(NamedTuple):
    """The order of the members, where it is drawn, and scratch space."""

    keys: Floats
    """float64[I]: key of each id: members are in descending order of them."""
    joins: Longs
    """int64[1]: how often members have joined."""
    drawn: Floats
    """float64[M]: keys of the members."""
    sorted: Longs
    spare: Longs
    positions: Longs
    """`sorted`, `spare`, `positions`: int64[M]: their order, and scratch space."""
    ranks: Longs
    """int64[I]: place of each id in the order."""
    owners: Longs
    """int64[P]: places of the owners."""


class Plan(NamedTuple):
    """The action under way and the answer that waits."""

    waiting: Longs
    """int64[P]: ranks or ids of the waiting answer."""
    target: Longs
    """int64[P]: owners after the action under way; not used where the assignor places."""
    entering: Longs
    after: Longs
    """`entering`, `after`: int64[M]: ids that join, and the members after the action, both
    ascending."""
    renamed: Longs
    """int64[I]: per id of an answer, whether it is used, and then its member."""


class Starts(NamedTuple):
    """Starts of replicas, where they take drawn times."""

    counts: Longs
    """int64[I]: how often each id has started."""
    ids: Longs
    ready: Floats
    """`ids`, `ready`: int64[M], float64[M]: ids that start and have not joined, ascending, and when
    they are ready, in s."""


class Heartbeats(NamedTuple):
    """When members send heartbeats, where they learn by these."""

    times: Floats
    """float64[3]: see `SINCE`."""
    joins: Longs
    joined: Floats
    phases: Floats
    """`joins`, `joined`, `phases`: int64[I], float64[I]: how often each id has joined, when it did
    so last, in s, and its first heartbeat since, in intervals."""
    is_new: Bools
    """bool[I]: which ids joined in the last rebalance that has begun."""
    learns: Floats
    """float64[M]: when each member learns of the round, in s."""
    gives: Floats
    """float64[P]: when the owner of a partition that moves gives it up under ``incremental``, in s;
    infinite for others."""


class Level(NamedTuple):
    """Scratch space for one member that serves partitions with lag."""

    corners: Floats
    """float64[P + 2, 2]: corners of the curve of events served per partition with lag: s and events
    since the interval began."""
    active: Longs
    order: Longs
    spare: Longs
    """`active`, `order`, `spare`: int64[P]: partitions with lag, and space to sort them."""
    keys: Floats
    """float64[P]: their lags, or the times until they have none."""
    last: Longs
    """int64[1]: the last corner of the interval that was served last."""


class Observed(NamedTuple):
    """What a strategy sees, and what an assignor sees."""

    lags: Floats
    rates: Floats
    """`lags`, `rates`: float64[P]: rounded to six decimals; for the assignor also rounded down."""
    counts: Floats
    """float64[W]: events of the whole group in each step of the window."""
    answer: Longs
    """int64[P]: space for the strategy's answer."""


class Record(NamedTuple):
    """What is recorded per step and per action."""

    steps: Floats
    """float64[N, 7]: see `PAID_AT_END`."""
    actions: Floats
    """float64[D, 5]: see `BEGUN_AT`."""


class State(NamedTuple):
    """A consumer group of P partitions."""

    clock: Floats
    """float64[5]: see `NOW`."""
    figures: Floats
    """float64[5]: see `REPLICA_SECONDS`."""
    counters: Longs
    """int64[19]: see `STEP`."""
    idle: Floats
    """float64[P]: zeros: the arrival rates where nothing arrives."""
    partitions: Partitions
    members: Members
    commits: Commits
    order: Order
    plan: Plan
    starts: Starts
    heartbeats: Heartbeats
    level: Level
    observed: Observed
    record: Record
    incidents: Incidents
    """`partitions`, `members`, `commits`, `order`, `plan`, `starts`, `heartbeats`, `level`,
    `observed`, `record`, `incidents`: see the types."""
    scratch: placement.Scratch
    """Space for the assignor."""


def create(
    rules: Rules, partitions: int, initial_replicas: int, topics: tuple[int, ...] | None = None
) -> State:
    """A group at time 0, whose members own nothing yet; `topics` are the partitions of each."""
    p = partitions
    # A strategy that names other consumers replaces members while they are still there.
    m = 2 * rules.max_replicas
    ids = max(m, p) + 1
    actions = -(-rules.steps // rules.window) + 1
    actions += incident_rows.most_actions(rules.incidents, m)
    counters = np.zeros(19, np.int64)
    counters[[MEMBERS, PAID, ASKED]] = initial_replicas
    counters[[WAITING, WAITING_KIND]] = NO_ANSWER
    return State(
        clock=np.array([0.0, np.inf, -np.inf, np.inf, np.inf]),
        figures=np.zeros(5),
        counters=counters,
        idle=np.zeros(p),
        partitions=_partitions(p, rules.commit_s > 0.0),
        members=_members(m, ids, p, initial_replicas),
        commits=_commits(ids, p),
        order=_order(m, ids, p),
        plan=Plan(_longs(p), _longs(p), _longs(m), _longs(m), _longs(ids)),
        starts=Starts(_longs(ids), _longs(m), np.zeros(m)),
        heartbeats=_heartbeats(m, ids, p),
        level=Level(np.zeros((p + 2, 2)), _longs(p), _longs(p), _longs(p), np.zeros(p), _longs(1)),
        observed=Observed(np.zeros(p), np.zeros(p), np.zeros(_counted(rules)), _longs(p)),
        record=Record(np.zeros((rules.steps, 7)), np.full((actions, 5), np.nan)),
        incidents=incident_state.create(
            ids, rules.shared_limit, len(rules.incidents), p, _counted(rules)
        ),
        scratch=placement.scratch(p, max(m, 1), topics),
    )


def _partitions(p: int, commits: bool) -> Partitions:
    return Partitions(
        lags=np.zeros(p),
        owners=np.full(p, UNOWNED, np.int64),
        last_owners=np.full(p, UNOWNED, np.int64),
        resumes=np.zeros(p),
        head_steps=_longs(p),
        gone=np.zeros(p),
        # Before the first decision nothing is known to have stood still.
        consumed=np.full(p, not commits),
    )


def _commits(ids: int, p: int) -> Commits:
    return Commits(
        due=np.zeros(ids),
        at=np.zeros(p),
        bursts=_longs(p),
        lags=np.zeros(p),
        before=np.zeros(p),
        advanced=np.ones(p, np.bool_),
        again=np.zeros(p),
    )


def _order(m: int, ids: int, p: int) -> Order:
    return Order(
        keys=np.zeros(ids),
        joins=_longs(1),
        drawn=np.zeros(m),
        sorted=_longs(m),
        spare=_longs(m),
        positions=_longs(m),
        ranks=_longs(ids),
        owners=_longs(p),
    )


def _heartbeats(m: int, ids: int, p: int) -> Heartbeats:
    return Heartbeats(
        times=np.array([0.0, -np.inf, 0.0]),
        joins=_longs(ids),
        joined=np.zeros(ids),
        phases=np.zeros(ids),
        is_new=np.zeros(ids, np.bool_),
        learns=np.zeros(m),
        gives=np.full(p, np.inf),
    )


def _members(m: int, ids: int, p: int, initial_replicas: int) -> Members:
    places = np.full(ids, UNOWNED, np.int64)
    places[:initial_replicas] = np.arange(initial_replicas)
    return Members(
        ids=np.arange(m, dtype=np.int64),
        places=places,
        speeds=np.zeros(m),
        served=_longs(p),
        ranked=_longs(p),
        starts=_longs(m + 2),
        stops=np.zeros(m),
    )


def _counted(rules: Rules) -> int:
    return 1 if rules.observes_now else rules.window


def _longs(n: int) -> Longs:
    return np.zeros(n, np.int64)
