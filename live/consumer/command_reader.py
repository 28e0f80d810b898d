"""Reads the commands for one consumer: partition i of topic `command`, committed ones only."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, Message, TopicPartition

from live.protocol.message_checks import InvalidMessage
from live.protocol.messages import Command, End, Start, Stop, decode


class CommandReader:
    """Reads commands from the beginning of the partition.

    reject: Called with an explanation for each message that is not a command; it is left out.
    is_caught_up: Whether the end of the partition was reached once: later commands arrive at once.
    invalid: Messages so far that are no commands.
    """

    def __init__(
        self,
        client: Mapping[str, object],
        topic: str,
        slot: int,
        reject: Callable[[str], None],
    ) -> None:
        self._consumer = Consumer(dict(client))
        self._consumer.assign([TopicPartition(topic, slot, OFFSET_BEGINNING)])
        self._reject = reject
        self.is_caught_up = False
        self.invalid = 0

    def take(self, wait_s: float = 0.0) -> list[Command]:
        """Commands that have arrived, after waiting some seconds for the first or the end."""
        commands: list[Command] = []
        message = self._consumer.poll(wait_s)
        while message is not None:
            command = self._command(message)
            if command is not None:
                commands.append(command)
            message = self._consumer.poll(0)
        return commands

    def _command(self, message: Message) -> Command | None:
        error = message.error()
        if error is not None:
            if error.code() == KafkaError._PARTITION_EOF:
                self.is_caught_up = True
            else:
                self._reject(f"commands: {error.str()}")
            return None
        try:
            received = decode(message.value() or b"").message
            if isinstance(received, Stop | Start | End):
                return received
            why = type(received).__name__
        except InvalidMessage as invalid:
            why = str(invalid)
        self.invalid += 1
        self._reject(f"invalid command {self.invalid}, offset {message.offset()}: {why}")
        return None
