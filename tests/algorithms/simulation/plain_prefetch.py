"""A slow and obvious broker and its consumers, which fetch ahead; shares no code with the product.

Arrivals and service times are given, as numbers. A function's topic hands records to consumers in
turns of at most twenty; a consumer holds some records besides the one that it serves.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

TURN = 20
NUMBERS = 15
"""Consumers of a topic have numbers below this; turns go round by number."""

Happening = Callable[[float], None]


@dataclass
class Record:
    """Its number among all of the source, and its place in the topic where it is."""

    number: int
    place: int = 0


@dataclass
class Consumer:
    number: int
    is_up: bool = False
    is_closed: bool = False
    serves: Record | None = None
    fetched: list[Record] = field(default_factory=list)


@dataclass
class Topic:
    """A function: its topic, and its consumers by number."""

    services: Sequence[float]
    """Service time by the record's number."""
    passes_to: list[int]
    size: int
    consumers: dict[int, Consumer]
    waiting: list[Record] = field(default_factory=list)
    arrived: int = 0
    done: int = 0
    turn: int = 0


class PlainBroker:
    """All topics, and a clock."""

    def __init__(
        self,
        times: Sequence[float],
        services: Sequence[Sequence[float]],
        fed: list[int],
        passes_to: list[list[int]],
        initial: list[int],
        size: int,
        restarts: bool,
        startup_s: float,
        gap_s: float,
    ) -> None:
        """Every record of the source goes to the topics `fed`; `services` are by topic."""
        self.times, self.restarts, self.startup_s, self.gap_s = times, restarts, startup_s, gap_s
        self.topics = [
            Topic(own, following, size, {i: Consumer(i, is_up=True) for i in range(many)})
            for own, following, many in zip(services, passes_to, initial, strict=True)
        ]
        self.order = count()
        self.agenda: list[tuple[float, int, int, Happening]] = []
        self.responses: dict[int, list[float]] = {}
        for number, time in enumerate(times):
            heapq.heappush(self.agenda, (time, 1, number, self.arrival(number, fed)))

    def arrival(self, number: int, fed: list[int]) -> Happening:
        def happen(now: float) -> None:
            for topic in fed:
                self.publish(topic, number, now)

        return happen

    def later(self, time: float, happen: Happening) -> None:
        heapq.heappush(self.agenda, (time, 0, next(self.order), happen))

    def publish(self, index: int, number: int, now: float) -> None:
        topic = self.topics[index]
        topic.waiting.append(Record(number, topic.arrived))
        topic.arrived += 1
        self.dispatch(index, now)

    def dispatch(self, index: int, now: float) -> None:
        topic = self.topics[index]
        while topic.waiting:
            consumer = self.next_consumer(topic)
            if consumer is None:
                return
            topic.turn = (consumer.number + 1) % NUMBERS
            room = topic.size - len(consumer.fetched)
            batch = topic.waiting[: min(TURN, room)]
            del topic.waiting[: len(batch)]
            consumer.fetched += batch
            if consumer.serves is None:
                self.serve(index, consumer, now)

    @staticmethod
    def next_consumer(topic: Topic) -> Consumer | None:
        for number in [*range(topic.turn, NUMBERS), *range(topic.turn)]:
            consumer = topic.consumers.get(number)
            if consumer is not None and consumer.is_up and len(consumer.fetched) < topic.size:
                return consumer
        return None

    def serve(self, index: int, consumer: Consumer, now: float) -> None:
        topic = self.topics[index]
        record = consumer.fetched.pop(0)
        consumer.serves = record

        def complete(time: float) -> None:
            topic.done += 1
            for following in topic.passes_to:
                self.publish(following, record.number, time)
            if not topic.passes_to:
                response = time - self.times[record.number]
                self.responses.setdefault(index, []).append(response)
            consumer.serves = None
            if consumer.is_closed:
                return
            if consumer.fetched:
                self.serve(index, consumer, time)
            self.dispatch(index, time)

        self.later(now + topic.services[record.number], complete)

    def scale(self, index: int, target: int, now: float) -> None:
        topic = self.topics[index]
        kept = 0 if self.restarts else min(target, len(topic.consumers))
        closed = [consumer for number, consumer in topic.consumers.items() if number >= kept]
        for consumer in closed:
            consumer.is_closed = True
            topic.waiting += consumer.fetched
            consumer.fetched = []
            del topic.consumers[consumer.number]
        topic.waiting.sort(key=lambda record: record.place)
        self.dispatch(index, now)
        new = [Consumer(number) for number in range(kept, target)]
        topic.consumers.update((consumer.number, consumer) for consumer in new)
        groups = [[consumer] for consumer in new] if self.gap_s > 0.0 else [new] * bool(new)
        for i, group in enumerate(groups):
            self.later(now + self.startup_s + i * self.gap_s, self.start(index, group))

    def start(self, index: int, group: list[Consumer]) -> Happening:
        def happen(now: float) -> None:
            for consumer in group:
                consumer.is_up = not consumer.is_closed
            self.dispatch(index, now)

        return happen

    def run_until(self, time: float) -> None:
        """Completions and starts up to a time, itself included, and arrivals before it."""
        while self.agenda and self.agenda[0][:2] <= (time, 0):
            now, _, _, happen = heapq.heappop(self.agenda)
            happen(now)

    def backlogs(self) -> list[int]:
        return [topic.arrived - topic.done for topic in self.topics]

    def run(self, script: Sequence[tuple[float, Sequence[int]]], end: float) -> list[list[int]]:
        """Run to the end; counts of all topics at times. Returns backlogs there, and at the end."""
        seen = []
        for time, counts in script:
            self.run_until(time)
            seen.append(self.backlogs())
            for index, target in enumerate(counts):
                if target != len(self.topics[index].consumers):
                    self.scale(index, target, time)
        self.run_until(end)
        seen.append(self.backlogs())
        self.run_until(math.inf)
        return seen
