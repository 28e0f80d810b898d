"""Private interfaces of kafka-python, for what its public one has no call.

A member joins its group again without a cause (Java: ``enforceRebalance``), takes the answer of a
join that comes between two polls, and commits within a callback of a rebalance, which runs on the
loop that a public commit would wait for. An admin reads the logs of topics that its user may not
see.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition
    from kafka.future import Future
    from kafka.structs import OffsetAndMetadata

TRIED = {"kafka-python": "3.0."}
"""Prefix of the version that this module was tested with, which is the one that is installed."""


COMMIT_MS = 5000
"""Time limit of a commit within a callback, milliseconds."""


def request_rejoin(consumer: KafkaConsumer) -> None:
    """Have a member join again at its next poll; of a stable group, only the leader's counts."""
    consumer._coordinator.request_rejoin()


def keep_join(consumer: KafkaConsumer) -> None:
    """Have the next poll take the answer of a join that is still waited for; call it between polls.

    The client begins another join if the answer came meanwhile: the group would rebalance twice.
    A leader that joins because metadata are new has no cause left once it has assigned partitions:
    then the client would never take the answer.
    """
    coordinator = consumer._coordinator
    join = coordinator._join_task
    if join is None:
        return
    coordinator.rejoin_needed = True
    if not isinstance(join, _KeptJoin):
        coordinator._join_task = _KeptJoin(join)


class _KeptJoin:
    """A future that the client waits for even if it is done."""

    is_done = False

    def __init__(self, join: Future) -> None:
        self._join = join

    def add_callback(self, function: Callable[..., None]) -> None:
        """As of the future: called at once if it is done."""
        self._join.add_callback(function)

    def add_errback(self, function: Callable[..., None]) -> None:
        """As of the future: called at once if it has failed."""
        self._join.add_errback(function)

    def __await__(self) -> Generator[Any, Any, Any]:
        waiting: Generator[Any, Any, Any] = self._join.__await__()
        return waiting


async def commit_within(
    consumer: KafkaConsumer, offsets: Mapping[TopicPartition, OffsetAndMetadata]
) -> None:
    """Commit offsets within a callback of a rebalance. Raises KafkaError if that fails."""
    await consumer._coordinator._commit_offsets_sync_async(dict(offsets), COMMIT_MS)


def log_dirs(client: KafkaAdminClient, broker: int) -> list[dict[str, Any]]:
    """Folders of a broker with all logs in them, also of topics that the user may not see.

    The public call asks for the topics of the user's metadata. Raises KafkaError if it fails.
    """
    (answer,) = client._manager.run(client._async_describe_log_dirs, None, [broker])
    folders: list[dict[str, Any]] = answer["log_dirs"]
    return folders
