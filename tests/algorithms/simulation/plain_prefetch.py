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
    is_interrupted: bool = False
    serves: Record | None = None
    until: float = 0.0
    """When it has served its record."""
    fetched: list[Record] = field(default_factory=list)


@dataclass
class Topic:
    """A function: its topic, and its consumers by number."""

    services: Sequence[float]
    """Service time by the record's number."""
    passes_to: list[int]
    size: int
    consumers: dict[int, Consumer]
    asked: int
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
        in_turn: bool,
    ) -> None:
        """Every record of the source goes to the topics `fed`; `services` are by topic."""
        self.times, self.restarts, self.startup_s, self.gap_s = times, restarts, startup_s, gap_s
        self.in_turn = in_turn
        self.todo: list[tuple[int, str, int]] = []
        """Topic, what to do (stop, restart, start), and number of the consumer."""
        self.is_at_work, self.free = False, -math.inf
        self.coming: dict[tuple[int, float], list[Consumer]] = {}
        self.topics = [
            Topic(own, following, size, {i: Consumer(i, is_up=True) for i in range(many)}, many)
            for own, following, many in zip(services, passes_to, initial, strict=True)
        ]
        self.order = count()
        self.agenda: list[tuple[float, float, int, Happening]] = []
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
            if consumer.is_interrupted:
                return
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

        consumer.until = now + topic.services[record.number]
        self.later(consumer.until, complete)

    def scale(self, index: int, target: int, now: float) -> None:
        topic = self.topics[index]
        before, topic.asked = topic.asked, target
        if self.in_turn:
            self.todo += [(index, "stop", number) for number in range(target, before)]
            if self.restarts:
                self.todo += [(index, "restart", number) for number in range(min(before, target))]
            self.todo += [(index, "start", number) for number in range(before, target)]
            if not self.is_at_work:
                self.is_at_work = True
                self.after_all_else(max(now, self.free), self.work)
            return
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

    def after_all_else(self, time: float, happen: Happening) -> None:
        """What the worker does: after what happens by itself at that time, before arrivals."""
        heapq.heappush(self.agenda, (time, 0.5, next(self.order), happen))

    def work(self, now: float) -> None:
        """The worker takes the first thing that is to be done."""
        index, what, number = self.todo[0]
        if what == "start":
            self.begin(index, number, now)
            return
        consumer = self.topics[index].consumers[number]
        if consumer.serves is None:
            self.close(consumer, now)
            return
        consumer.is_interrupted = True
        self.after_all_else(consumer.until, lambda time: self.close(consumer, time))

    def close(self, consumer: Consumer, now: float) -> None:
        """What the consumer has not put out goes back to the topic, as it was there."""
        index, what, number = self.todo[0]
        topic = self.topics[index]
        topic.waiting += consumer.fetched + [consumer.serves] * (consumer.serves is not None)
        topic.waiting.sort(key=lambda record: record.place)
        consumer.fetched, consumer.is_closed = [], True
        del topic.consumers[number]
        self.dispatch(index, now)
        if what == "restart":
            self.begin(index, number, now)
        else:
            self.go_on(now)

    def begin(self, index: int, number: int, now: float) -> None:
        """Consumers that come at one time are all there before records are handed out."""
        consumer = self.topics[index].consumers[number] = Consumer(number)
        time = now + self.startup_s
        if (index, time) not in self.coming:
            self.coming[index, time] = []
            self.later(time, self.start(index, self.coming[index, time]))
        self.coming[index, time].append(consumer)
        self.go_on(now + self.gap_s)

    def go_on(self, free: float) -> None:
        self.free = free
        del self.todo[0]
        self.is_at_work = bool(self.todo)
        if self.todo:
            self.after_all_else(free, self.work)

    def start(self, index: int, group: list[Consumer]) -> Happening:
        def happen(now: float) -> None:
            self.coming.pop((index, now), None)
            for consumer in group:
                consumer.is_up = not consumer.is_closed
            self.dispatch(index, now)

        return happen

    def run_until(self, time: float) -> None:
        """What happens up to a time, itself included; arrivals only before it."""
        while self.agenda and self.agenda[0][:2] < (time, 1):
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
                if target != self.topics[index].asked:
                    self.scale(index, target, time)
        self.run_until(end)
        seen.append(self.backlogs())
        self.run_until(math.inf)
        return seen
