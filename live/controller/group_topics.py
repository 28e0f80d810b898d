"""What a controller writes to the topics of its run, and reads of those that are compacted."""

from __future__ import annotations

from collections.abc import Mapping

from live.controller.transactions import (
    BrokerSilent,
    Fenced,
    Outgoing,
    TransactionalWriter,
    committed,
    stable,
)
from live.live_settings import LiveSettings
from live.protocol import group_records
from live.protocol.group_actions import Actions
from live.protocol.group_claim import GroupClaim
from live.protocol.messages import encode

TAKE_OVER_S = 60.0
"""For how long a broker that does not answer is asked to fence, seconds."""


class GroupTopics:
    """Topics `state`, `command` and `progress`, in the name of the group's controller."""

    def __init__(self, settings: LiveSettings) -> None:
        self._settings = settings
        self._security = settings.security.confluent
        self._writer = self._new_writer(settings.controller_id)

    def take_over(self, claim: GroupClaim) -> Mapping[bytes, bytes]:
        """Fence other controllers; returns topic `state`, which none of them can write any more.

        A process that recovers looks first for a newer controller. One that has written nothing
        before this look is fenced, and this one goes on from what is committed.

        claim: What this process knows of other controllers.
        Raises Fenced if this process recovers, and another controller has written meanwhile.
        Raises BrokerSilent if the broker does not answer.
        """
        if claim.is_made:
            topic = self._settings.topic("state")
            latest = stable(self._settings.bootstrap, topic, self._security, TAKE_OVER_S)
            if not claim.allows(group_records.holder(latest.items())):
                raise Fenced("another controller has taken over meanwhile")
        claim.forget()
        self._writer.take_over(TAKE_OVER_S)
        state = committed(self._settings.bootstrap, self._settings.topic("state"), self._security)
        claim.took(group_records.holder(state.items()))
        return state

    def commit(self, actions: Actions, at_ns: int) -> None:
        """Write commands and records in one transaction.

        at_ns: The present time of the run's clock, nanoseconds.
        Raises Fenced if another controller has taken over: nothing was written.
        Raises BrokerSilent if the broker does not answer.
        """
        command, state = self._settings.topic("command"), self._settings.topic("state")
        self._writer.commit(
            [
                *(Outgoing(command, slot, encode(m, at_ns)) for slot, m in actions.commands),
                *(Outgoing(state, 0, value, key) for key, value in actions.records),
            ]
        )

    def fence(self, consumer: int) -> None:
        """Keep the processes of a slot so far from writing progress.

        Raises BrokerSilent if the broker does not answer, or somebody was faster: it may be the
            lost process, which starts, and must be fenced again.
        """
        slot = self._settings.slot(consumer)
        try:
            self._new_writer(slot).take_over(TAKE_OVER_S)
        except Fenced as error:
            raise BrokerSilent(f"{slot}: {error}") from error

    def progress(self, seconds: float) -> Mapping[bytes, bytes]:
        """Values of topic `progress` up to its committed end.

        Raises BrokerSilent if the broker does not answer, or a transaction stays open for so many
            seconds.
        """
        topic = self._settings.topic("progress")
        return committed(self._settings.bootstrap, topic, self._security, seconds)

    def _new_writer(self, transactional_id: str) -> TransactionalWriter:
        return TransactionalWriter(self._settings.bootstrap, transactional_id, self._security)
