"""A recommendation as text for a terminal: the decision first, then the figures."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from pipeline.autoscaling.recommendation import consumer_settings
from pipeline.autoscaling.recommendation.judged_candidates import Judged
from pipeline.autoscaling.recommendation.recommend import Recommendation
from pipeline.report import numbers
from pipeline.text.plain_table import plain_table

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

WORTH_A_CONTROLLER = 0.005
"""Share of the costs above which the answer mentions what cannot be deployed."""

COUNTS_EVENTS = (
    "KEDA counts lag in events: its lagThreshold is right only if rates and --mu are in events/s."
)

_SAME = 1e-9

CARRIED = 0.01
"""Share of the events that wait from one block to the next, above which a note says so."""


def parts(recommendation: Recommendation, workload: str, hot: str = "") -> list[RenderableType]:
    """Parts to print in order; names in `workload` and `hot` partitions must be printable."""
    from rich.text import Text

    named = [(each.run.candidate.label, each) for each in best_of_each(recommendation)]
    return [
        *map(Text, (*decision(recommendation), *certainty(recommendation))),
        *map(Text, [hot] if hot else []),
        *map(Text, without_hot(recommendation)),
        "",
        _table("best of each strategy", named),
        "",
        _table("without a recommendation", recommendation.usual),
        "",
        *map(Text, assumptions(recommendation, workload)),
    ]


def decision(recommendation: Recommendation) -> Iterator[str]:
    """What to deploy, what the alternatives cost, and what cannot be deployed."""
    answer, best = recommendation.answer, recommendation.best
    goal = _goal(recommendation)
    if answer is None:
        result = f"{_name(best)} is the best of them, with {_figures(best)}"
        yield f"None of the candidates can be deployed: {result}, but it {best.obstacle}."
    elif answer.keeps:
        yield f"Deploy {_name(answer)}: {_figures(answer)} (objective: {goal})."
        yield _alternatives(recommendation, answer)
        if -best.extra.mean > WORTH_A_CONTROLLER * answer.cost.mean:
            yield f"{_name(best)} {_extra(best, answer)}, but it {best.obstacle}."
        if answer.run.candidate.strategy == "keda_hpa":
            yield COUNTS_EVENTS
        if note := consumer_settings.broker_note(answer.run.consumers):
            yield note
    elif best.keeps:
        yield f"Nothing that can be deployed has {goal}: {_closest(answer)}."
        yield f"{_name(best)} does, with {_figures(best)}, but it {best.obstacle}."
    else:
        yield f"No candidate has {goal}: {_closest(best)}."
        if best.obstacle is not None:
            yield f"It {best.obstacle}; of those that can be deployed, {_closest(answer)}."


def attainable(recommendation: Recommendation) -> str | None:
    """The objective to ask for instead: the same latency, with a share that the answer reaches."""
    answer, objective = recommendation.answer, recommendation.question.objective
    percent = 0.0 if answer is None else math.floor(1000.0 * answer.on_time.mean) / 10.0
    if answer is None or percent <= 0.0:
        return None
    return f"{_name(answer)} keeps --slo {objective._replace(percent=percent).text}"


def without_hot(recommendation: Recommendation) -> Iterator[str]:
    """The decision without hot partitions, if it was made."""
    cold = recommendation.without_hot
    if cold is not None:
        many = recommendation.hot
        yield f"Without the {'hot partition' if many == 1 else f'{many:,} hot partitions'}:"
        yield from (f"  {line}" for line in decision(cold))


def _goal(recommendation: Recommendation) -> str:
    objective = recommendation.question.objective
    return f"{objective.percent:.10g} % of the events within {objective.latency_s:.10g} s"


def _closest(judged: Judged) -> str:
    return f"{_name(judged)} comes closest with {_in_time(judged)}"


def _alternatives(recommendation: Recommendation, answer: Judged) -> str:
    """What Kafka's default and KEDA's defaults cost."""
    usual = [each for _, each in recommendation.usual]
    constant = next(each for each in usual if each.run.candidate.strategy == "constant")
    keda = next(each for each in usual if each.run.candidate.strategy == "keda_hpa")
    kafka = f"Kafka's default, {_name(constant)}, {_extra(constant, answer)}"
    if constant.run == answer.run:
        kafka = "That is Kafka's default"
    return f"{kafka}; KEDA with its defaults {_extra(keda, answer)}."


def _extra(other: Judged, answer: Judged) -> str:
    """What another candidate costs compared with the answer, and whether it is good enough."""
    missed = "" if other.keeps else f" but has only {_in_time(other)} in time"
    extra, cost = other.extra, answer.cost.mean
    if other.run == answer.run:
        return "is the same"
    if abs(extra.mean) <= _SAME * max(cost, other.cost.mean):
        return f"costs the same{missed}"
    low, high, word = (extra.low, extra.high, "more")
    if extra.mean < 0.0:
        low, high, word = (-extra.high, -extra.low, "less")
    share = numbers.percent(abs(extra.mean) / cost, 0) if cost > 0.0 else "∞"
    interval = "" if math.isnan(low) else f"; 95 % interval {_plain(low)} to {_plain(high)}"
    return f"costs {_plain(abs(extra.mean))} per hour {word} ({share}{interval}){missed}"


def certainty(recommendation: Recommendation) -> Iterator[str]:
    """How certain the result is."""
    answer = recommendation.answer
    if answer is None or not answer.keeps:
        return
    blocks = np.diff(recommendation.edges) * recommendation.step_s
    if blocks.size < 2:
        yield "There is only one block, so the certainty of the result is unknown."
        return
    length = numbers.duration(float(np.median(blocks)))
    yield (
        f"In resamples of {blocks.size} blocks of {length}, the recommendation keeps the objective "
        f"in {_percent(answer.probability, 0)} of the cases, and is the cheapest deployable choice "
        f"that keeps it in {_percent(answer.first, 0)}."
    )
    held_out = recommendation.held_out
    yield (
        f"Choices made without one block, each tried on that block: {_percent(1.0 - held_out.late)}"
        f" in time at {_plain(held_out.cost)} per hour."
    )
    if answer.outcome.carried > CARRIED:
        yield (
            f"Note: {_percent(answer.outcome.carried, 1)} of the events wait from one block to the "
            "next, so intervals are too narrow. Set a longer --block."
        )


def best_of_each(recommendation: Recommendation) -> list[Judged]:
    """The best candidate of each strategy, in order."""
    best: dict[str, Judged] = {}
    for each in recommendation.ranked:
        best.setdefault(each.run.candidate.strategy, each)
    return list(best.values())


def assumptions(recommendation: Recommendation, workload: str) -> Iterator[str]:
    """What the figures mean, and what was assumed."""
    settings, prices = recommendation.settings, recommendation.question.prices
    length = numbers.duration(recommendation.steps * recommendation.step_s)
    partitions, first = recommendation.partitions, settings["initial_replicas"]
    yield (
        f"{workload}: {length} in steps of {recommendation.step_s:.10g} s on {partitions:,} "
        f"partition{'s' * (partitions != 1)}. A consumer serves {settings['mu']:,.10g} events/s; "
        f"a new replica joins after {settings['startup_s']:g} s; groups start with {first:,} "
        f"replica{'s' * (first != 1)}."
    )
    if recommendation.step_s > 1.0 and settings.get("arrivals") != "burst":
        yield (
            f"Strategies decide every {recommendation.step_s:g} s at most: the recording is too "
            "long to be simulated several hundred times in steps of 1 s."
        )
    yield (
        f"Costs are per hour: {prices.replica_hour:g} per replica-hour, {prices.late_event:g} per "
        f"late event, {prices.move:g} per moved partition; 95 % intervals in brackets. "
        "Kept: has the objective; chance: in how many of the resamples it does."
    )


def _name(judged: Judged) -> str:
    candidate, assignor = judged.run.candidate, judged.run.consumers.assignor
    if candidate.strategy == "constant":
        replicas = judged.outcome.settings["initial_replicas"]
        return f"{replicas:,} constant replica{'s' * (replicas != 1)} with assignor {assignor}"
    return f"{candidate.label} with assignor {assignor}"


def _figures(judged: Judged) -> str:
    return f"{_plain(judged.cost.mean)} per hour and {_in_time(judged)} in time"


def _table(title: str, rows: Iterable[tuple[str, Judged]]) -> Table:
    from rich.text import Text

    table = plain_table()
    table.add_column(title, overflow="fold")
    table.add_column("assignor", no_wrap=True)
    for head in ("cost per hour", "in time, %", "kept", "chance", "replicas", "p99, s", "moves/h"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("deploy", no_wrap=True)
    for name, judged in rows:
        table.add_row(Text(name), judged.run.consumers.assignor, *_cells(judged))
    return table


def _cells(judged: Judged) -> Iterator[str]:
    outcome, cost = judged.outcome, judged.cost
    interval = "" if math.isnan(cost.low) else f" [{_plain(cost.low)}, {_plain(cost.high)}]"
    yield f"{_plain(cost.mean)}{interval}"
    yield f"{_rounded_down(judged.on_time.mean):.3f}"
    yield "yes" if judged.keeps else "no"
    yield _percent(judged.probability, 0)
    yield _plain(outcome.replicas)
    yield _plain(outcome.p99_s)
    yield _plain(outcome.moves_per_hour)
    yield "yes" if judged.obstacle is None else "no"


def _percent(share: float, decimals: int = 3) -> str:
    return numbers.percent(share, decimals)


def _in_time(judged: Judged) -> str:
    """Share of the events in time, rounded down: a share just below the objective stays below."""
    return f"{_rounded_down(judged.on_time.mean):.3f}{numbers.SPACE}%"


def _rounded_down(share: float) -> float:
    return math.floor(1e5 * share + 1e-6) / 1e3


def _plain(value: float) -> str:
    """Three digits; 9.99999 is 10.0."""
    return numbers.plain(float(f"{value:.3g}"))
