"""Keeps the offsets of a group that was taken over as far as its topic is processed."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence

from live.user_cluster.old_group import Commit, NoAnswer, OldGroup
from live.user_cluster.progress_follower import ProgressFollower
from pipeline.base.errors import InputError

LOOK_S = 1.0
"""Time between two looks for members, seconds."""

EVERY_S = 5.0
"""Time between two commits, seconds."""

CLOSE_S = 20.0
"""Time for a look to end, seconds: its questions end by themselves."""


class KeptOffsets:
    """Commits progress to the old group, and looks for what must stop the new one.

    first: Offsets that were committed at the take-over, of each partition.
    fault: Why this group must stop, in one line; empty while there is no reason.
    is_lost: Whether another client has the old group: nothing may be committed to it any more.
    is_joined: Whether that is a member.
    """

    def __init__(self, old: OldGroup, first: Sequence[int]) -> None:
        self._old = old
        self._confirmed = dict(enumerate(first))
        # A commit without an answer may have been made all the same.
        self._sent = dict(self._confirmed)
        self._metadata: dict[int, str] = {}
        self._missing: dict[int, int] = {}
        self._committed_s = time.monotonic()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self.fault = ""
        self.is_lost = self.is_joined = False

    def follow(self, follower: ProgressFollower) -> None:
        """Begin to look and to commit, in a thread of its own."""
        self._thread = threading.Thread(
            target=self._loop, args=(follower,), name="kept-offsets", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End looking and committing."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(CLOSE_S)

    def turn(self, progress: Mapping[int, int], now_s: float) -> None:
        """Look for members; commit if it is time. Brokers that do not answer are asked again."""
        if self.fault:
            return
        try:
            self._look()
            self._commit_if_due(progress, now_s)
        except NoAnswer:
            return
        except InputError as error:
            self.fault = str(error)

    def commit(self, progress: Mapping[int, int]) -> None:
        """Commit progress, unless another client has the old group.

        progress: Next offset by partition; without one, a partition is where it has begun.
        Raises NoAnswer if the brokers do not answer.
        Raises InputError if a right is missing.
        """
        self._check_commits()
        if self.is_lost:
            return
        self._sent = {
            partition: max(offset, progress.get(partition, 0))
            for partition, offset in self._confirmed.items()
        }
        commits = {p: Commit(at, self._metadata.get(p, "")) for p, at in self._sent.items()}
        if self._old.commit(commits):
            self._confirmed = dict(self._sent)
        else:
            self._joined("a member")

    def _commit_if_due(self, progress: Mapping[int, int], now_s: float) -> None:
        if self.fault or now_s - self._committed_s < EVERY_S:
            return
        self._committed_s = now_s
        self.commit(progress)
        self._check_stored()

    def _look(self) -> None:
        members = self._old.members()
        if members:
            self._joined(members[0])
            return
        partitions = self._old.partitions()
        if partitions != len(self._confirmed):
            self.fault = (
                f"topic {self._old.topic!r} has {partitions} partitions now, and had "
                f"{len(self._confirmed)} at the take-over; start the group again"
            )

    def _check_commits(self) -> None:
        """Look for commits of others: another controller, or a person who sets offsets."""
        # Brokers forget commits to a group that has been without members for
        # `offsets.retention.minutes`, also those of today: one that is missing is made again.
        for partition, commit in self._old.committed(len(self._confirmed)).items():
            self._metadata[partition] = commit.metadata
            expected = self._confirmed[partition], self._sent[partition]
            if commit.offset not in expected:
                self._lose(
                    f"another client has committed offset {commit.offset} in partition {partition} "
                    f"to group {self._old.name!r} (it was at {expected[0]}); only one may read "
                    f"topic {self._old.topic!r}"
                )
                return

    def _check_stored(self) -> None:
        """Look for records that were deleted before they were read: consumers cannot go on."""
        bounds = self._old.bounds(len(self._confirmed))
        before, self._missing = self._missing, {}
        for partition, offset in self._confirmed.items():
            begin = bounds[partition].begin
            if offset >= begin:
                continue
            # They may have been read, and their progress not be here yet.
            self._missing[partition] = offset
            if before.get(partition) == offset:
                self.fault = (
                    f"topic {self._old.topic!r} stores partition {partition} from offset {begin}, "
                    f"and {offset} was to be read next; take it over again with --offsets"
                )
                return

    def _joined(self, who: str) -> None:
        self.is_joined = True
        self._lose(
            f"{who} has joined group {self._old.name!r}, which was taken over; it reads on from "
            f"the last commit, at most {EVERY_S:g} s old"
        )

    def _lose(self, fault: str) -> None:
        self.fault, self.is_lost = fault, True

    def _loop(self, follower: ProgressFollower) -> None:
        try:
            while not self._stop.is_set() and not self.fault:
                self.turn(follower.look(LOOK_S), time.monotonic())
        except Exception as error:
            # A group whose offsets are not kept must not go on in silence.
            self.fault = f"offsets of group {self._old.name!r} are not kept any more: {error}"
        finally:
            follower.close()
