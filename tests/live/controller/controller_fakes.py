"""A controller whose broker and launcher are in the hands of a test, and note all that it does."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, cast

import pytest

from live.controller import group_controller, group_topics
from live.controller.group_controller import GroupController
from live.controller.live_decisions import Wanted
from live.controller.transactions import BrokerSilent, Fenced, Outgoing
from live.protocol.consumer_duty import ConsumerDuty
from live.protocol.group_claim import GroupClaim
from live.protocol.messages import Command, Hello, Message, Received, decode, kind_of
from tests.live.short_settings import short_settings

SECOND = 1_000_000_000


class World:
    """What is around a controller.

    Attributes
    ----------
    now_s
        The time; only tests move it, and `slow_s`.
    done
        What the controller has done, in its order.
    said
        Entries of its journal.
    arriving
        Events that it gets when it looks.
    on_broker
        Events that it gets only when it asks the broker for the rest.
    answers
        Whether the broker answers.
    slow_s
        How long the next transaction takes.
    ended
        Ends of processes that it gets when it looks.
    reaps
        Whether killed processes end.
    wanted
        Owners that the strategy wants next.
    progress, state
        Topics `progress` and `state`.
    is_hidden
        Whether an open transaction hides what it holds.
    refused
        Transactional ids that somebody else takes over at the same time.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
        self.now_s, self.slow_s = 1000.0, 0.0
        self.done: list[Any] = []
        self.said: list[tuple[str, dict[str, Any]]] = []
        self.arriving: list[Message] = []
        self.on_broker: list[Message] = []
        self.answers, self.is_silent, self.reaps = True, False, True
        self.ended: list[tuple[int, int, int]] = []
        self.wanted: Sequence[int] | None = None
        self.progress: dict[bytes, bytes] = {}
        self.state: dict[bytes, bytes] = {}
        self.is_hidden = False
        self.refused: set[str] = set()
        self.commands: list[tuple[int, Command]] = []
        self.duties: dict[int, ConsumerDuty] = {}
        self.settings = short_settings(**changes)
        for name in ("TopicReader", "RunClock"):
            monkeypatch.setattr(group_controller, name, lambda *_: self)
        monkeypatch.setattr(group_topics, "TransactionalWriter", self._writer)
        monkeypatch.setattr(group_topics, "committed", self._committed)
        monkeypatch.setattr(group_topics, "stable", self._stable)
        self.claim = GroupClaim()
        self.controller = self._controller()
        self.done.clear()

    def recover(self) -> None:
        """Restart the controller in the same process, as after an error."""
        self.done.clear()
        self.controller = self._controller()

    def turn(self, seconds: float = 0.01) -> None:
        """One turn of the controller, after some time."""
        self.now_s += seconds
        self.controller.turn(0)

    def work(self, consumers: Sequence[int]) -> None:
        """Have consumers become ready and obey commands until the group has settled."""
        self.wanted = consumers
        self.turn()
        for consumer in sorted(set(consumers) - self.duties.keys()):
            self.duties[consumer] = ConsumerDuty(consumer, 1)
            self.arriving.append(Hello(consumer, 1, 1, 1))
        while not self.controller.is_settled:
            self.turn()
            self.obey()
        self.done.clear()

    def greet(self) -> None:
        """Have all consumers that were launched say hello."""
        launched = [one[1:] for one in self.done if one[0] == "launch"]
        self.done.clear()
        for consumer, incarnation in launched:
            self.duties[consumer] = ConsumerDuty(consumer, incarnation)
            self.arriving.append(Hello(consumer, incarnation, 1, 1))

    def obey(self) -> None:
        """Have consumers answer all commands so far."""
        commands, self.commands = self.commands, []
        for consumer, command in commands:
            duty = self.duties[consumer]
            ends = dict.fromkeys(range(self.settings.partitions), 5)
            answer = duty.answer(duty.apply(command), ends)
            if answer is not None:
                self.arriving.append(answer)

    def beats(self) -> list[Message]:
        """A sign of life of each consumer."""
        return [duty.beat(0) for duty in self.duties.values()]

    def faults(self) -> list[tuple[str, int]]:
        """Kind and consumer of the faults in the journal."""
        return [(e["kind"], e["consumer"]) for what, e in self.said if what == "fault"]

    # The clock, the strategy and the journal.

    def now(self) -> int:
        return round(self.now_s * SECOND)

    def resume(self, *_: Any) -> None:
        return None

    def due(self, *_: Any) -> Wanted | None:
        owners, self.wanted = self.wanted, None
        if owners is None:
            return None
        return Wanted(tuple(owners), (0.1,) * len(owners), "time", 0, self.now())

    def write(self, what: str, **fields: Any) -> None:
        self.said.append((what, fields))

    # Topic `event`.

    def arrived(self, wait_s: float) -> Iterable[Received]:
        arriving, self.arriving = self.arriving, []
        if arriving:
            self.is_silent = False
        return [Received(message, self.now()) for message in arriving]

    def rest(self, seconds: float) -> Iterable[Received]:
        self.done.append("ask")
        self.is_silent = not self.answers
        if not self.answers:
            self.now_s += seconds
            return []
        self.arriving, self.on_broker = self.on_broker, []
        return self.arrived(0.0)

    def reject(self, why: str) -> None:
        self.write("invalid", message=why)

    # The launcher.

    def exits(self) -> list[tuple[int, int, int]]:
        ended, self.ended = self.ended, []
        return ended

    def launch(self, consumer: int, incarnation: int) -> None:
        self.done.append(("launch", consumer, incarnation))

    def kill(self, consumer: int, incarnation: int) -> None:
        self.done.append(("kill", consumer, incarnation))

    def have_ended(self, processes: Collection[tuple[int, int]], seconds: float) -> bool:
        self.done.append(("reap", *processes))
        return self.reaps

    # Transactions.

    def _writer(self, bootstrap: str, transactional_id: str, properties: Any) -> Any:
        return _Writer(self, transactional_id)

    def _controller(self) -> GroupController:
        world = cast(Any, self)
        return GroupController(self.settings, world, world, world, self.claim)

    def _stable(self, bootstrap: str, topic: str, *_: Any) -> Mapping[bytes, bytes]:
        self.done.append(f"look at {topic.rpartition('.')[2]}")
        return self.state

    def _committed(self, bootstrap: str, topic: str, *_: Any) -> Mapping[bytes, bytes]:
        self.done.append(f"read {topic.rpartition('.')[2]}")
        if self.is_hidden:
            raise BrokerSilent("not read to its end")
        return self.progress if topic.endswith("progress") else self.state


class _Writer:
    def __init__(self, world: World, transactional_id: str) -> None:
        self._world, self._id = world, transactional_id

    def take_over(self, seconds: float) -> None:
        self._world.done.append(("fence", self._id))
        if self._id in self._world.refused:
            raise Fenced("another one was faster")

    def commit(self, messages: Iterable[Outgoing]) -> None:
        world = self._world
        messages = list(messages)
        for m in messages:
            if m.topic.endswith(".state") and m.key is not None and m.value is not None:
                world.state[m.key] = m.value
        sent = [m for m in messages if m.topic.endswith(".command")]
        world.now_s += world.slow_s
        world.slow_s = 0.0
        commands = [(m.partition, decode(m.value or b"").message) for m in sent]
        world.commands += cast(Any, commands)
        world.done.append(("commit", *(kind_of(command) for _, command in commands)))
