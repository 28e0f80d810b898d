"""The survey of a trace: read it, check whether a run would accept it, and describe both."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pipeline.base import limits
from pipeline.base.errors import InputError
from pipeline.cli.survey import total_survey
from pipeline.cli.survey.survey_options import Asked
from pipeline.engine import memory
from pipeline.inputs import traces
from pipeline.inputs.traces import Trace, hot_partitions, suggested_command
from pipeline.inputs.traces.model import Floats
from pipeline.inputs.traces.survey import survey_parts
from pipeline.inputs.traces.survey.survey_model import Cells, Gap, Stream, Survey, Timing
from pipeline.settings import load
from pipeline.settings.assignment_experiment import Experiment
from pipeline.settings.run_config import RunConfig

HEADROOM = 1.33
"""Default ratio of a consumer's throughput to its planned load: the paper's."""

_OWN_TIMES = 0.4
"""Share of missing cells above which they are unlikely to be absent partitions."""


def survey(
    path: Path, asked: Asked, trace: Trace | None = None, final: Path | None = None
) -> Survey:
    """Describe a trace; writes nothing.

    trace: The recording that the file was made of; by default the file itself.
    final: Where the file will be, for the suggested command; by default where it is.
    Raises InputError if a run would refuse the file, or these settings with it.
    """
    if trace is None:
        trace = traces.read(path, asked.reading)
    if trace.is_total:
        return total_survey.survey(path, trace, asked, final or path)
    step = traces.median_step(trace.times)
    seconds = step if asked.iteration_seconds is None else asked.iteration_seconds
    chosen = _settings(asked, trace, seconds)
    config = load.resolve(None, None, chosen, [path], reading=asked.reading)
    (experiment,) = config.experiments
    made = traces.resampled(trace, path, config.traces[0].step_seconds)
    timing = survey_parts.timing(trace.times)
    gaps = survey_parts.gaps(trace.times, config.traces[0].step_seconds)
    cells = survey_parts.cells(trace.rates)
    return Survey(
        file=trace.name,
        format=trace.form,
        unit=trace.unit or traces.BYTES,
        measurements=len(trace.rates),
        timing=timing,
        gaps=gaps,
        cells=cells,
        total=survey_parts.total(trace.rates),
        partitions=survey_parts.ranges(trace.partitions, trace.rates),
        beyond_capacity=survey_parts.beyond(made.partitions, made.rates, experiment.capacity),
        volatility=survey_parts.volatility(made.rates, experiment.capacity),
        stream=_stream(config, experiment, made is not trace, asked),
        notes=(
            *trace.notes,
            *_hot(trace, made.rates, experiment),
            *_notes(timing, gaps, cells, asked, experiment, trace.unit or traces.BYTES),
            *_too_large(config),
        ),
        command=shlex.join([*_command(final or path, chosen), *asked.reading.words]),
        recommend=suggested_command.recommendation(
            str(final or path), experiment.consumer_capacity, reading=asked.reading.words
        ),
    )


def _settings(asked: Asked, trace: Trace, seconds: float | None) -> list[str]:
    """Settings of a run, as its command takes them."""
    capacity = asked.capacity
    if capacity is None:
        capacity = _rounded_up(float(np.nanmax(trace.rates)))
    reading = asked.consumer_capacity
    if reading is None:
        reading = float(f"{HEADROOM * capacity:.6g}")
    settings = [f"capacity={capacity:.15g}", f"consumer_capacity={reading:.15g}"]
    if seconds is not None:
        settings.append(f"iteration_seconds={seconds:.15g}")
    return settings


def _rounded_up(rate: float) -> float:
    """The next number of two digits, at least the least capacity."""
    if rate <= limits.MIN_CAPACITY:
        return 1.0
    unit = 10.0 ** (math.floor(math.log10(rate)) - 1)
    multiple = math.ceil(rate / unit * (1 - 1e-12)) * unit
    return min(float(f"{multiple:.2g}"), limits.MAX_CAPACITY)


def _command(path: Path, chosen: list[str]) -> list[str]:
    sets = [word for setting in chosen for word in ("--set", setting)]
    return ["groupscale", "run", "--trace", str(path), *sets]


def _stream(config: RunConfig, experiment: Experiment, resampled: bool, asked: Asked) -> Stream:
    cost = limits.cost_of_stream(experiment.size)
    return Stream(
        iterations=config.traces[0].iterations,
        partitions=config.traces[0].partitions,
        resampled=resampled,
        iteration_seconds=experiment.iteration_seconds,
        capacity=experiment.capacity,
        consumer_capacity=experiment.consumer_capacity,
        capacity_guessed=asked.capacity is None,
        algorithms=len(experiment.algorithms),
        seconds=cost.seconds,
        memory_gib=cost.memory_gib,
    )


def _hot(trace: Trace, rates: Floats, experiment: Experiment) -> Iterator[str]:
    """Hot partitions, and the load without them."""
    peaks = hot_partitions.fastest(trace, rates)
    many = hot_partitions.count(hot_partitions.peak_rates(rates), experiment.consumer_capacity)
    words = hot_partitions.sentence(peaks, experiment.consumer_capacity, total=many)
    without = hot_partitions.load_without(rates, experiment.capacity, experiment.consumer_capacity)
    if without is not None:
        load, consumers = without
        yield (
            f"{words} Without hot partitions the peak load is {float(f'{load:.4g}'):,.10g}, at "
            f"least {consumers:,} consumers."
        )


def _of(unit: str) -> str:
    return "the unit of the rates" if unit == traces.UNKNOWN else unit


def _too_large(config: RunConfig) -> Iterator[str]:
    """Why a run over the trace would be refused on this machine, if it would be."""
    try:
        memory.check(config)
    except InputError as error:
        yield f"This machine cannot run it: {error}."


def _notes(
    timing: Timing,
    gaps: tuple[Gap, ...],
    cells: Cells,
    asked: Asked,
    experiment: Experiment,
    unit: str,
) -> Iterator[str]:
    if asked.capacity is None:
        yield (
            "Capacity was not given; using the highest partition rate, rounded up. Set --capacity "
            f"to the planned maximum load of one consumer, in {_of(unit)}."
        )
    if timing.column != "timestamp":
        yield (
            "The file has no timestamps: each measurement counts as one iteration of "
            f"{experiment.iteration_seconds:g} s. Set --iteration-seconds to change that."
        )
    if experiment.iteration_seconds < experiment.rebalance_seconds:
        yield (
            f"An iteration ({experiment.iteration_seconds:g} s) is shorter than a rebalance "
            f"({experiment.rebalance_seconds:g} s). Set a longer --iteration-seconds, or run with "
            "a shorter rebalance_seconds."
        )
    if gaps and timing.column == "iteration":
        yield "Iteration numbers have gaps; the recorded iterations are treated as consecutive."
    if cells.within_lives > _OWN_TIMES:
        yield (
            f"Partitions lack {cells.within_lives:.0%} of the measurements between their first "
            "and last, as if each had its own timestamps. A missing cell means that the partition "
            "does not exist then: use the same timestamps for all partitions."
        )
    if cells.empty_measurements:
        yield f"{cells.empty_measurements:,} measurements have no partitions."
