"""What papers publish on groups that ran on brokers.

Section VI-F of the paper on assignment: the response of its controller and the speed of its
consumers. Bounds are ours: the paper shows distributions. Ezzeddine et al.: service and cost of a
group whose assignor asks a controller. Each experiment of a run is compared with all that it can
say something about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial

from live.strategy_kinds import is_asking
from pipeline.experiments.live.paper import group_differences, group_levels, repeated_rows
from pipeline.experiments.live.results import consumer_capacity, controller_times
from pipeline.experiments.live.results.consumer_capacity import ALONE, LEAST_BATCHES
from pipeline.experiments.live.results.controller_times import TIMES
from pipeline.inputs.traces.published_workloads import PublishedWorkload
from pipeline.reporting.sections import numbers
from pipeline.reporting.sections.numbers import SPACE
from pipeline.reporting.sections.printed_value import Printed
from pipeline.reporting.sections.published_figure import LANDAU, PublishedFigure
from pipeline.reporting.sections.tolerances import Bound, Measured, Tolerance, bounded, shown
from pipeline.settings.live_experiment import LiveExperiment
from pipeline.warehouse.runs.run_results import Results

Figure = PublishedFigure[Results]

DECIDED = bounded(Bound("maximum", 1.0, "<", 1.0))
"""Time until the controller has decided, s."""

MOVED_IN_CYCLES = bounded(Bound("maximum", 1.0, "≤", 5.5), Bound("90th percentile", 0.9, "≥", 2.0))
"""Time in which partitions move if consumers look for commands once per cycle, s."""

MOVED_PROMPTLY = bounded(Bound("90th percentile", 0.9, "<", 0.5))
"""The same if they look for them every 20 ms."""

SPEED = bounded(Bound("mode", 0.5, "≥", 95.0), Bound("mode", 0.5, "≤", 105.0))
"""Most frequent speed of full batches, % of C̄."""

RATE, MODE = 2.4e6, 2.3e6
"""The authors' C̄, and the mode of Figure 13 as printed, bytes/s."""

RELEASED_MODES = (2.44e6, 2.40e6, 2.42e6)
"""Modes of the batches that the authors released, of three tests, bytes/s."""

_PLACE = "Section VI-F"
_WINDOW = "the window is a setting"
_KUBERNETES = "the authors start containers in Kubernetes"
_PROMPT = "consumers look for commands every 20 ms, not once per cycle"


def figures(
    experiments: Iterable[LiveExperiment], workloads: Mapping[str, PublishedWorkload | None]
) -> Iterator[Figure]:
    """Figures that experiments can be compared with.

    workloads: The published workload that each experiment plays, if any, by its name.
    """
    asking = []
    for one in experiments:
        if not all(strategy == ALONE or is_asking(strategy) for strategy in one.strategies):
            yield from _times(one)
        if ALONE in one.strategies:
            yield _speed(one)
        workload = repeated_rows.workload_of(one, workloads.get(one.name))
        if workload is not None:
            yield from group_levels.levels(one, workload)
            asking.append((one, workload))
    yield from group_differences.differences(asking)


def _times(one: LiveExperiment) -> Iterator[Figure]:
    time = partial(_time, one)
    decided = f"<{SPACE}1{SPACE}s (1,345 observations)"
    created = f"10 to 50{SPACE}s in 88 % of 273 observations, at most 500{SPACE}s"
    moved = f"about 5{SPACE}s (two cycles, 1,331 observations)"
    yield time("speeds_known_s", f"30{SPACE}s (the window)", shown, incomparable=_WINDOW)
    yield time("decided_s", decided, DECIDED)
    yield time("created_s", created, shown, incomparable=_KUBERNETES)
    if one.mode == "prompt":
        yield time("moved_s", moved, MOVED_PROMPTLY, note=_PROMPT)
    else:
        yield time("moved_s", moved, MOVED_IN_CYCLES)


def _time(
    one: LiveExperiment,
    column: str,
    text: str,
    tolerance: Tolerance,
    incomparable: str = "",
    note: str = "",
) -> Figure:
    """A time of the controller's plans."""

    def measure(run: Results) -> Measured:
        plans = run.at(one.name)["live_plans"]
        response = controller_times.response(plans, column)
        if not response.plans:
            return Measured(missing="no plan after the first iteration has it")
        return Measured(controller_times.times(plans, column).tolist(), response.words)

    return Figure(
        key=f"{one.name}: {column}",
        source=LANDAU,
        place=_PLACE,
        strategy="controller",
        candidate=one.name,
        figure=TIMES[column],
        value=Printed.of(text),
        unit="s",
        tolerance=tolerance,
        measure=measure,
        incomparable=incomparable,
        note=note,
    )


def _speed(one: LiveExperiment) -> Figure:
    """The speed of a lone consumer with a full log."""

    def measure(run: Results) -> Measured:
        capacity = consumer_capacity.capacity(run.at(one.name)["live_runs"], one.consumer_rate)
        if capacity is None:
            return Measured(missing="no consumer was alone with full batches")
        few = f"fewer than {LEAST_BATCHES} full batches" if capacity.is_small else ""
        return Measured((100.0 * capacity.mode,), capacity.words, missing=few)

    mode, *released = (numbers.percent(rate / RATE) for rate in (MODE, *RELEASED_MODES))
    return Figure(
        key=f"{one.name}: speed",
        source=LANDAU,
        place=f"{_PLACE}, Figure 13",
        strategy="one consumer",
        candidate=one.name,
        figure="speed of a consumer",
        value=Printed.of(f"{mode} of C̄ (mode; released batches {numbers.listing(released)})"),
        unit="% of C̄",
        tolerance=SPEED,
        measure=measure,
    )
