"""A user's topic while a group of this project reads it: taken over, kept, handed back."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from live.controller.transactions import BrokerSilent
from live.kafka import topics
from live.live_settings import LiveSettings
from live.user_cluster import take_over
from live.user_cluster.kept_offsets import KeptOffsets
from live.user_cluster.old_group import NoAnswer, OldGroup
from live.user_cluster.progress_follower import ProgressFollower
from live.user_cluster.take_over import TakeOver
from pipeline.base.errors import GroupscaleError, InputError, StageError

HAND_BACK_S = 30.0
"""For how long brokers that do not answer are asked to take the last commit, seconds."""


class NotHandedBack(StageError):
    """The last offsets could not be committed to the old group."""


class TakenTopic:
    """A context manager around the consumers: as it ends, the old group gets its offsets back.

    Topics of the run are created if there are none. They are deleted when the offsets are handed
    back, or when a member has taken the old group back; after any other error they stay, and a
    run of this name goes on from them.

    settings: Those of the run, with its full name and the first offsets.
    Raises InputError if the topic cannot be taken over.
    """

    def __init__(self, settings: LiveSettings, taken: TakeOver) -> None:
        settings = replace(settings, run=take_over.own_run(settings, taken.group))
        self._old: OldGroup = take_over.opened(settings, taken.group)
        first = take_over.begun(settings, self._old, taken.offsets)
        self.settings = replace(settings, first_offsets=tuple(first))
        self._kept = KeptOffsets(self._old, first)

    @property
    def fault(self) -> str:
        """Why the group must stop, in one line; empty while there is no reason."""
        return self._kept.fault

    def __enter__(self) -> Self:
        settings = self.settings
        if not topics.of_run(settings.bootstrap, settings.run, settings.security.confluent):
            topics.create(settings)
        self._kept.follow(ProgressFollower(settings))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self._kept.stop()
        why = "" if self._kept.is_lost else self._not_handed_back()
        is_handed_back = not (why or self._kept.is_lost)
        # After any other error, another run of this name may be at work.
        if self._kept.is_joined or (is_handed_back and (error is None or bool(self.fault))):
            self._delete_topics()
        self._old.close()
        if why:
            before = f"{error}; " if isinstance(error, GroupscaleError) else ""
            raise NotHandedBack(
                f"{before}offsets of group {self._old.name!r} were not handed back: {why}"
            ) from error

    def _not_handed_back(self) -> str:
        """Commit what was processed in the end; why that is not possible."""
        until = time.monotonic() + HAND_BACK_S
        while True:
            try:
                self._kept.commit(take_over.progress(self.settings, HAND_BACK_S))
                return self._kept.fault if self._kept.is_lost else ""
            except InputError as refused:
                return str(refused)
            except (NoAnswer, BrokerSilent) as silent:
                if time.monotonic() > until:
                    return str(silent)

    def _delete_topics(self) -> None:
        settings = self.settings
        # What is left does no harm: the next run of this name compares it with the old group.
        with suppress(GroupscaleError):
            topics.delete(settings.bootstrap, settings.run, settings.security.confluent)
