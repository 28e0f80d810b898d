"""Settings of Kafka consumers that assign and rebalance as a simulated group does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from algorithms.core.group_declarations import CLASSIC_HEARTBEAT_S, INCREMENTAL_HEARTBEAT_S
from algorithms.simulation.group_settings import DEFAULTS
from pipeline.base.errors import InputError

NEW_HEARTBEAT_S = INCREMENTAL_HEARTBEAT_S
"""Kafka's defaults: ``heartbeat.interval.ms`` of consumers, and ``consumer.heartbeat.interval.ms``
of groups whose assignments are computed by the broker (KIP-848)."""

HEARTBEATS_PER_SESSION = 3
"""Kafka advises at least this many."""

MIN_HEARTBEAT_S, MAX_HEARTBEAT_S = 0.001, 715_827.0
"""Kafka's times are integers of 32 bits, in ms; the greatest is that of a session."""

_MOST_CLASSIC_SESSION_MS = 1_800_000
_LEAST_HEARTBEAT_MS, _MOST_HEARTBEAT_MS, _MOST_SESSION_MS = 5_000, 15_000, 60_000
"""Bounds of sessions and heartbeats that brokers have by default."""

COMMIT_S = float(DEFAULTS["commit_s"])
"""Kafka's default of ``auto.commit.interval.ms``, s."""

AUTO, BATCH = "auto", "batch"
"""Commits by the client at an interval, and by the program after each batch."""

_PACKAGE = "org.apache.kafka.clients.consumer"
_PROTOCOLS = {
    "range": "eager",
    "roundrobin": "eager",
    "sticky": "eager",
    "cooperative_sticky": "cooperative",
    "kip848_range": "incremental",
    "kip848_uniform": "incremental",
    "kip848_uniform_4_0": "incremental",
    "kip169": "eager",
}
_CLASSES = {
    "range": "RangeAssignor",
    "roundrobin": "RoundRobinAssignor",
    "sticky": "StickyAssignor",
    "cooperative_sticky": "CooperativeStickyAssignor",
}
_REMOTE = {"kip848_range": "range", "kip848_uniform": "uniform", "kip848_uniform_4_0": "uniform"}


class Consumers(NamedTuple):
    """How the consumers of a group share partitions."""

    assignor: str
    protocol: str
    """`assignor`, `protocol`: as in `algorithms.simulation.group_settings.GroupSettings`."""
    heartbeat_s: float
    """Time between heartbeats, s: members learn of a rebalance that late, at most."""

    @property
    def settings(self) -> dict[str, Any]:
        """Settings of the simulated group."""
        return self._asdict()

    @property
    def is_kafkas(self) -> bool:
        """Whether Kafka has this assignor."""
        return self.assignor in _CLASSES or self.assignor in _REMOTE

    @property
    def is_kip848(self) -> bool:
        """Whether brokers compute its assignments (KIP-848)."""
        return self.assignor in _REMOTE


KAFKAS_DEFAULT = Consumers("range", "eager", CLASSIC_HEARTBEAT_S)
"""What consumers do whose settings are Kafka's defaults."""

COMPARED = (
    KAFKAS_DEFAULT,
    Consumers("cooperative_sticky", "cooperative", CLASSIC_HEARTBEAT_S),
    Consumers("kip848_uniform", "incremental", NEW_HEARTBEAT_S),
)
"""Kafka's default and the two that keep partitions where they are."""


def compared(settings: Mapping[str, Any]) -> tuple[Consumers, ...]:
    """Return the consumers to compare, given the settings that the user fixes.

    settings: Settings of the group. Without ``assignor`` and ``protocol`` there are three kinds of
        consumers, else one. ``heartbeat_s`` applies to all.
    Raises InputError if consumers with the assignor do not rebalance by the protocol, a protocol
        comes without an assignor, or Kafka cannot have the heartbeat.
    """
    heartbeat = settings.get("heartbeat_s")
    if heartbeat is not None and not MIN_HEARTBEAT_S <= heartbeat <= MAX_HEARTBEAT_S:
        raise InputError(
            f"heartbeat_s must be between {MIN_HEARTBEAT_S:g} and {MAX_HEARTBEAT_S:,.0f}, which "
            f"Kafka's consumers accept (got {heartbeat}); leave it out for Kafka's default"
        )
    assignor, protocol = settings.get("assignor"), settings.get("protocol")
    if assignor is None:
        if protocol is not None:
            raise InputError(
                f"protocol must come with an assignor (got protocol={protocol} alone); add "
                "--set assignor=NAME"
            )
        return tuple(each if heartbeat is None else each._replace(heartbeat_s=heartbeat)
                     for each in COMPARED)  # fmt: skip
    usual = _PROTOCOLS[assignor]
    if protocol not in (None, usual):
        raise InputError(f"protocol must be {usual} with assignor {assignor} (got {protocol})")
    default_s = NEW_HEARTBEAT_S if usual == "incremental" else CLASSIC_HEARTBEAT_S
    return (Consumers(assignor, usual, default_s if heartbeat is None else heartbeat),)


def client_properties(
    consumers: Consumers, commits: str = AUTO, commit_s: float = COMMIT_S
) -> dict[str, str]:
    """Settings of each consumer.

    Consumers of the new protocol refuse heartbeats, sessions and strategies: see
    `group_properties`. ``enable.auto.commit`` is never set: whether a program commits itself is its
    own decision, and losing records can follow from changing it.

    commits: `AUTO` if the client commits, which alone sets the interval.
    commit_s: Time between commits, s; 0 where commits are not simulated.
    """
    interval = {}
    if commits == AUTO and commit_s > 0.0:
        interval = {"auto.commit.interval.ms": _milliseconds(commit_s)}
    return {**_sharing(consumers), **interval}


def _sharing(consumers: Consumers) -> dict[str, str]:
    if consumers.assignor in _REMOTE:
        remote = _REMOTE[consumers.assignor]
        return {"group.protocol": "consumer", "group.remote.assignor": remote}
    return {
        "group.protocol": "classic",
        "partition.assignment.strategy": f"{_PACKAGE}.{_CLASSES[consumers.assignor]}",
        "heartbeat.interval.ms": _milliseconds(consumers.heartbeat_s),
        "session.timeout.ms": _milliseconds(session_s(consumers)),
    }


def group_properties(consumers: Consumers) -> dict[str, str]:
    """Settings of the group on the broker; none for the classic protocol."""
    if consumers.assignor not in _REMOTE:
        return {}
    return {
        "consumer.heartbeat.interval.ms": _milliseconds(consumers.heartbeat_s),
        "consumer.session.timeout.ms": _milliseconds(session_s(consumers)),
    }


def broker_settings(consumers: Consumers) -> dict[str, str]:
    """Settings that brokers need to accept those of the group; none within their default bounds."""
    heartbeat_ms, session_ms = _whole_ms(consumers.heartbeat_s), _whole_ms(session_s(consumers))
    if consumers.assignor not in _REMOTE:
        bounds = {"group.max.session.timeout.ms": (session_ms, _MOST_CLASSIC_SESSION_MS)}
    else:
        bounds = {
            # Negative: a least value.
            "group.consumer.min.heartbeat.interval.ms": (-heartbeat_ms, -_LEAST_HEARTBEAT_MS),
            "group.consumer.max.heartbeat.interval.ms": (heartbeat_ms, _MOST_HEARTBEAT_MS),
            "group.consumer.max.session.timeout.ms": (session_ms, _MOST_SESSION_MS),
        }
    return {name: str(abs(value)) for name, (value, most) in bounds.items() if value > most}


def commit_note(commits: str, commit_s: float) -> str:
    """How commits were simulated, and what that means for the program."""
    if commit_s <= 0.0:
        return "Simulated with a lag that is known at once: commits were not simulated."
    if commits == AUTO:
        return (
            f"Simulated with commits by the client every {commit_s:g} s. enable.auto.commit is not "
            "set here: if your program commits itself, the interval has no effect; run recommend "
            "with --commits batch or --commits SECONDS."
        )
    when = "after each batch" if commits == BATCH else f"every {commit_s:g} s"
    return f"Simulated with commits by the program {when}: no commit setting is written."


def leaving_note(in_flight_s: float) -> str:
    """What a removed member was simulated to lose, and what keeps it; empty if nothing was."""
    if in_flight_s <= 0.0:
        return ""
    return (
        f"Simulated with in_flight_s={in_flight_s:g}: a removed member loses what it has not "
        f"committed of its last {in_flight_s:g} s. It loses nothing if on SIGTERM it finishes its "
        "batch and commits; terminationGracePeriodSeconds of its pod (30 by default) must be long "
        "enough for that."
    )


def roll_out_note(consumers: Consumers) -> str:
    """How a running group gets to this assignor; empty if any order will do.

    All members must have an assignor in common. Consumers with Kafka's defaults since 3.0 have
    both range and cooperative-sticky.
    """
    if consumers.assignor not in _CLASSES:
        return ""
    name = _CLASSES[consumers.assignor]
    default = ("range", "cooperative_sticky")
    note = (
        f"A running group whose consumers do not have {name} yet needs two rolling restarts: first "
        f"with {name} added to the assignors in use, then with this file."
    )
    if consumers.assignor not in default:
        return note
    return f"{note} Kafka's default list has it: then one restart is enough."


def broker_note(consumers: Consumers) -> str:
    """What to set on brokers before they accept these consumers; empty if there is nothing."""
    needed = ", ".join(f"{name}={value}" for name, value in broker_settings(consumers).items())
    return needed and (
        f"Brokers refuse this heartbeat or session by default: set {needed} on each broker first."
    )


def session_s(consumers: Consumers) -> float:
    """Session timeout, s: Kafka's default, or longer for slow heartbeats."""
    return max(float(DEFAULTS["session_s"]), HEARTBEATS_PER_SESSION * consumers.heartbeat_s)


def _milliseconds(seconds: float) -> str:
    return str(_whole_ms(seconds))


def _whole_ms(seconds: float) -> int:
    return round(1000.0 * seconds)
