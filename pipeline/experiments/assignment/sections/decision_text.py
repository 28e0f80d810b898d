"""A decision in sentences, the same in terminal, report and MLflow."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from algorithms.assignment import registry
from pipeline.experiments.assignment.results.decision import Decision, Option, Range
from pipeline.reporting.sections import numbers

CHOICE, FRONT = "→", "•"
"""Marks of the choice, and of options that no other candidate dominates."""


class Words(NamedTuple):
    """What a reader needs first."""

    answer: str
    """What to run, with how many consumers."""
    facts: list[str]
    """Sentences about rebalances, waiting data and Kafka's default."""
    changes: list[str]
    """What would change the answer."""
    without_hot: list[str]
    """What to run without hot partitions, and what it costs; none if there are none."""


def words(decision: Decision) -> Words:
    """The answer of a decision in words."""
    cold = decision.without_hot
    return Words(
        _answer(decision),
        [*_facts(decision)],
        [*_changes(decision)],
        [] if cold is None else [_cold_answer(decision.hot, cold), *_facts(cold)],
    )


def result(decision: Decision) -> list[str]:
    """The answer, and what Kafka's default needs instead, or else how long data waits."""
    return [_answer(decision), next(_default(decision), _waits(decision.best))]


def sentences(decision: Decision) -> str:
    """All words of a decision in one paragraph."""
    parts = words(decision)
    return " ".join([parts.answer, *parts.facts, *parts.without_hot, *parts.changes])


def mark(decision: Decision, option: Option) -> str:
    """Mark of an option in tables; empty for most."""
    return CHOICE if option is decision.best else FRONT if option.on_front else ""


def option_cells(option: Option) -> list[str]:
    """Values of an option in a table: consumers, moves, and data that waits."""
    return [
        numbers.fixed(option.consumers, 1),
        numbers.fixed(option.peak, 0),
        numbers.fixed(option.rebalances, 1),
        numbers.fixed(100 * option.moving_share, 1),
        numbers.fixed(option.rscore, 2),
        numbers.fixed(100 * option.late_share, 2),
        numbers.seconds(option.p90),
        numbers.seconds(option.longest),
    ]


def _answer(decision: Decision) -> str:
    best = decision.best
    title = registry.get(best.algorithm).title
    return f"Run {best.algorithm} ({title[0].lower()}{title[1:]}) with {consumers(best)}."


def _cold_answer(hot: int, cold: Decision) -> str:
    which = "the hot partition" if hot == 1 else f"the {hot:,} hot partitions"
    return f"Without {which}, run {cold.best.algorithm} with {consumers(cold.best)}."


def consumers(option: Option) -> str:
    """Mean and peak number of consumers of an option."""
    if option.static:
        return f"{numbers.count(option.consumers)} consumers"
    mean = f"{numbers.fixed(option.consumers, 1)} consumers on average"
    return mean if math.isnan(option.peak) else f"{mean}, {numbers.count(option.peak)} at peak"


def _facts(decision: Decision) -> Iterator[str]:
    best = decision.best
    yield _moves(best)
    yield _waits(best)
    yield from _default(decision)


def _moves(option: Option) -> str:
    if option.rscore == 0:
        return "No partition ever moves."
    volume = (
        f"{numbers.volume(option.moved_bytes)} a day (messages, if the trace has messages/s) "
        "arrive while their partition moves"
    )
    if math.isnan(option.rebalances):
        return f"{volume}."
    return (
        f"{rebalances(option)}, at {numbers.percent(option.moving_share)} of the iterations; "
        f"{volume}."
    )


def rebalances(option: Option) -> str:
    """Rebalances of an option in words."""
    return f"{numbers.plain(option.rebalances, 2)} rebalances a day"


def _waits(option: Option) -> str:
    if math.isnan(option.late_share):
        return "This run has no latencies."
    if option.late_share == 0:
        return "No data waits."
    return (
        f"{numbers.percent(option.late_share, 2)} of the data waits, at most "
        f"{numbers.seconds(option.longest)}."
    )


def _default(decision: Decision) -> Iterator[str]:
    best, enough, tight = decision.best, decision.static, decision.tight
    if enough is not None and enough is not best:
        more = enough.consumers / best.consumers - 1
        yield (
            f"Kafka's default, a fixed number of consumers, needs {numbers.count(enough.consumers)}"
            f" ({enough.algorithm}, {_dealt(enough)}) so that no data waits: {_more(more)}."
        )
    elif enough is None and any(one.static for one in decision.options):
        yield "Data waits with every fixed number of consumers tried, which is Kafka's default."
    if tight is not None:
        how = "" if registry.parameter_of(tight.algorithm) else f" ({tight.algorithm})"
        yield (
            f"With {numbers.count(tight.consumers)} fixed consumers{how}, "
            f"{numbers.percent(tight.late_share)} of the data waits, at most "
            f"{numbers.seconds(tight.longest)}."
        )


def _dealt(static: Option) -> str:
    """How a fixed group gets its partitions: the number is Kafka's default, kd_n's way is not."""
    by_range = registry.get(static.algorithm).by_topic
    return "by the range assignor" if by_range else "partitions dealt in turn"


def _more(share: float) -> str:
    percent = numbers.percent(abs(share), 0)
    return f"{percent} more" if share >= 0 else f"{percent} fewer"


def _changes(decision: Decision) -> Iterator[str]:
    place = decision.ranges.index(decision.range)
    yield (
        "The price of a move: to move the load of one full consumer counts as "
        f"{numbers.duration(decision.price_s)} of a consumer's time, as long as the moved data "
        "waits."
    )
    if place > 0:
        cheaper = decision.ranges[place - 1]
        yield f"Below {numbers.duration(cheaper.high_s)}, run {_named(cheaper)}."
    # The next one, and the last one, which moves least.
    for one in decision.ranges[place + 1 :][:1] + decision.ranges[place + 2 :][-1:]:
        yield f"Above {numbers.duration(one.low_s)}, run {_named(one)}."
    yield from _for_peak(decision)


def _named(one: Range) -> str:
    option = one.option
    if option.rscore == 0:
        return f"{option.algorithm} ({consumers(option)}, no rebalances)"
    if math.isnan(option.rebalances):
        return f"{option.algorithm} ({consumers(option)})"
    return f"{option.algorithm} ({consumers(option)}, {rebalances(option)})"


def _for_peak(decision: Decision) -> Iterator[str]:
    """For those who pay for the largest number of consumers all the time."""
    with_peak = [one for one in decision.options if one.candidate and not math.isnan(one.peak)]
    fewest = min(with_peak, key=lambda one: (one.peak, one.cost), default=None)
    if fewest is not None and fewest.peak < decision.best.peak:
        yield (
            f"If you pay for the consumers of the peak all day, run {fewest.algorithm}, which "
            f"never needs more than {numbers.count(fewest.peak)}."
        )
    yield (
        "With a latency objective or prices, groupscale recommend chooses the number of "
        f"consumers as well{_command(decision)}"
    )


def _command(decision: Decision) -> str:
    return f": {decision.recommend}" if decision.recommend else "."
