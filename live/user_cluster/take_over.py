"""Where a group begins that takes over a user's topic; what cannot be taken over is refused."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from live.controller import progress_rows
from live.controller.transactions import BrokerSilent, committed
from live.kafka import topics
from live.live_settings import LiveSettings
from live.protocol import group_records
from live.protocol.group_knowledge import GroupState
from live.user_cluster import cluster_access
from live.user_cluster.old_group import Bounds, Commit, NoAnswer, OldGroup
from pipeline.base.errors import InputError

EARLIEST, LATEST = "earliest", "latest"

OPEN_S = 60.0
"""How long a transaction may stay open that a killed process has left, seconds."""


@dataclass(frozen=True, slots=True)
class TakeOver:
    """A group of the user to take over."""

    group: str
    """Its name; it must have no members."""
    offsets: str = ""
    """``earliest`` or ``latest``: where to begin in partitions without a commit, or whose next
    record is not stored any more. Empty: such a topic is refused."""


def own_run(settings: LiveSettings, group: str) -> str:
    """Name of the run that reads the topic of these settings in place of a group.

    A run of the same name on another topic, or for another group, must not be gone on with.
    """
    text = f"{settings.data_topic} {group}"
    return f"{settings.run}.{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def opened(settings: LiveSettings, group: str) -> OldGroup:
    """The group that reads the topic of these settings.

    Raises InputError if no broker answers, the topic does not exist or may not be seen, is one of
        a live run, or has another number of partitions than the settings.
    """
    topic = settings.data_topic
    if topics.is_ours(topic):
        raise InputError(f"topic {topic!r} is one of a live run; take over a topic of your own")
    to = cluster_access.access(settings.bootstrap, topic, settings.security)
    if to.partitions != settings.partitions:
        raise InputError(
            f"`partitions` must be {to.partitions}, as topic {topic!r} has them "
            f"(got {settings.partitions})"
        )
    return OldGroup(to, group)


def begun(settings: LiveSettings, old: OldGroup, offsets: str) -> list[int]:
    """First offsets of a group that takes over, committed to the old group; it has no members.

    offsets: As in `TakeOver`.
    Raises InputError if the old group has members, a partition has nowhere to begin, a right is
        missing, the brokers do not answer, or a killed run of this name cannot be gone on with.
    """
    try:
        check_empty(old)
        commits = old.committed(settings.partitions)
        bounds = old.bounds(settings.partitions)
        first = first_offsets(old, commits, bounds, offsets)
        check_goes_on(settings.run, old, first, bounds, reached(settings))
        # A commit that changes nothing shows the right to commit, and members that came meanwhile.
        is_empty = old.commit(
            {p: Commit(at, commits.get(p, Commit(at)).metadata) for p, at in enumerate(first)}
        )
    except (NoAnswer, BrokerSilent) as error:
        raise InputError(f"cannot take over topic {old.topic!r}: {error}") from None
    if not is_empty:
        raise InputError(_not_empty(old, "members"))
    return first


def check_empty(old: OldGroup) -> None:
    """Raise InputError if the group has members."""
    members = old.members()
    if members:
        more = f" and {len(members) - 1} more" if len(members) > 1 else ""
        raise InputError(_not_empty(old, f"member {members[0]}{more}"))


def first_offsets(
    old: OldGroup, commits: Mapping[int, Commit], bounds: Sequence[Bounds], offsets: str
) -> list[int]:
    """Where each partition begins: at its commit, or as `offsets` says without a usable one."""
    first = []
    for partition, (begin, end) in enumerate(bounds):
        commit = commits.get(partition)
        if commit is not None and begin <= commit.offset <= end:
            first.append(commit.offset)
        elif offsets in (EARLIEST, LATEST):
            first.append(begin if offsets == EARLIEST else end)
        else:
            raise InputError(_nowhere(old, partition, commit, Bounds(begin, end)))
    return first


def check_goes_on(
    run: str,
    old: OldGroup,
    first: Sequence[int],
    bounds: Sequence[Bounds],
    before: Mapping[int, int],
) -> None:
    """Check that a killed run of this name can be gone on with.

    before: Offset that it has reached by partition, of those that it has started.
    Raises InputError if the old group has committed more, or the next records are not stored.
    """
    for partition, offset in before.items():
        begin, end = bounds[partition]
        if not begin <= offset <= end:
            raise InputError(
                f"{run!r} was killed at offset {offset} of partition {partition}, and topic "
                f"{old.topic!r} stores {begin} to {end}; take over under another name"
            )
        if first[partition] > offset:
            raise InputError(
                f"group {old.name!r} has read on since {run!r} was killed (partition {partition} "
                f"is at {first[partition]}, and was at {offset}); take over under another name"
            )


def reached(settings: LiveSettings) -> dict[int, int]:
    """Offsets that a killed run of this name has reached; none if there was no such run.

    Raises BrokerSilent if the broker does not answer.
    Raises InputError if it had another number of partitions, or was of another version.
    """
    security = settings.security.confluent
    if not topics.of_run(settings.bootstrap, settings.run, security):
        return {}
    records = committed(settings.bootstrap, settings.topic("state"), security, OPEN_S)
    state = _restored(settings, records)
    offsets = {each.partition: each.offset for each in state.partitions if each.epoch}
    for partition, offset in progress(settings, OPEN_S).items():
        offsets[partition] = max(offset, offsets.get(partition, 0))
    return offsets


def _restored(settings: LiveSettings, records: Mapping[bytes, bytes]) -> GroupState:
    """What a killed run knew. Raises InputError if that is of another number of partitions."""
    number = settings.partitions
    try:
        state = group_records.restored_state(number, records.items(), {}, time.monotonic())
    except (ValueError, LookupError) as error:
        why = f"cannot be read ({error})"
    else:
        if all(len(plan.wanted) == number for plan in state.plans.values()):
            return state
        why = f"is not of {number} partitions"
    raise InputError(f"what {settings.run!r} has left {why}; take over under another name")


def progress(settings: LiveSettings, seconds: float) -> dict[int, int]:
    """Next offset by partition, up to what is committed now. Raises BrokerSilent."""
    topic, security = settings.topic("progress"), settings.security.confluent
    values = committed(settings.bootstrap, topic, security, seconds).values()
    return progress_rows.next_offsets(values, settings.partitions, lambda _: None)


def _not_empty(old: OldGroup, who: str) -> str:
    return (
        f"group {old.name!r} must have no members to be taken over (got {who}); stop them, and "
        "wait for their session to end"
    )


def _nowhere(old: OldGroup, partition: int, commit: Commit | None, bounds: Bounds) -> str:
    what = f"has committed nothing in partition {partition} of topic {old.topic!r}"
    if commit is not None:
        what = (
            f"is at {commit.offset} in partition {partition} of topic {old.topic!r}, which stores "
            f"{bounds.begin} to {bounds.end}"
        )
    return f"group {old.name!r} {what}; say where to begin with --offsets earliest or latest"
