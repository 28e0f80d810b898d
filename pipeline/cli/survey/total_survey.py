"""The survey of a trace with one total rate, which a simulation takes but a run does not."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from algorithms.autoscaling.number_checks import check_number
from algorithms.core.input_errors import AlgorithmError
from pipeline.base.errors import InputError
from pipeline.cli.survey.survey_options import Asked
from pipeline.experiments.autoscaling.workloads import recorded_workloads
from pipeline.inputs.traces import Trace, suggested_command
from pipeline.inputs.traces.survey import survey_parts
from pipeline.inputs.traces.survey.survey_model import Survey, Timing

PARTITIONS = 5
"""Number of partitions in the suggested command."""


def survey(path: Path, trace: Trace, asked: Asked, final: Path) -> Survey:
    """Describe a trace with one total rate, and the simulation that takes it.

    Raises InputError if a simulation would refuse the file, or these settings with it.
    """
    _check(asked)
    step_s = asked.iteration_seconds
    workload = recorded_workloads.load(
        path, partitions=PARTITIONS, step_s=step_s, reading=asked.reading
    )
    timing = survey_parts.timing(trace.times)
    return Survey(
        file=trace.name,
        format=trace.form,
        unit=trace.unit,
        measurements=len(trace.rates),
        timing=timing,
        gaps=survey_parts.gaps(trace.times, workload.step_s),
        cells=survey_parts.cells(trace.rates),
        total=survey_parts.total(trace.rates),
        partitions=(),
        beyond_capacity=(),
        volatility=None,
        stream=None,
        notes=(*trace.notes, *_notes(timing, asked)),
        command=shlex.join(_command(final, asked)),
        recommend=""
        if asked.consumer_capacity is None
        else suggested_command.recommendation(
            str(final), asked.consumer_capacity, PARTITIONS, asked.reading.words
        ),
    )


def _check(asked: Asked) -> None:
    if asked.capacity is not None:
        raise InputError(
            f"--capacity {asked.capacity:g}: does not apply to a file of one total rate, which a "
            "simulation takes; set --consumer-capacity"
        )
    if asked.consumer_capacity is not None:
        try:
            check_number("--consumer-capacity", asked.consumer_capacity, above=0.0)
        except AlgorithmError as error:
            raise InputError(str(error)) from error


def _command(path: Path, asked: Asked) -> Iterator[str]:
    yield from ("groupscale", "simulate", str(path), "--partitions", str(PARTITIONS))
    yield from asked.reading.words
    if asked.consumer_capacity is not None:
        yield from ("--set", f"mu={asked.consumer_capacity:.15g}")
    if asked.iteration_seconds is not None:
        yield from ("--set", f"step_s={asked.iteration_seconds:.15g}")


def _notes(timing: Timing, asked: Asked) -> Iterator[str]:
    yield (
        "The file has one total rate, which a simulation splits over partitions. Set --partitions "
        "to the number of partitions of your topic."
    )
    if asked.consumer_capacity is None:
        yield (
            "The maximum throughput of one consumer was not given. Set --consumer-capacity, in "
            "events/s."
        )
    if timing.column != "timestamp":
        yield (
            "The file has no timestamps: each measurement counts as one step of "
            f"{asked.iteration_seconds or recorded_workloads.DEFAULT_STEP_S:g} s. "
            "Set --iteration-seconds to change that."
        )
