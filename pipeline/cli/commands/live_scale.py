"""The option ``--scale`` of commands that run strategies on a broker."""

from __future__ import annotations

from typing import Annotated

import typer

from pipeline.errors import InputError

LEAST, MOST = 0.01, 100.0

Scale = Annotated[float, typer.Option(metavar="X", help="Factor of rates, C, C̄ and batches alike.")]


def scaled(preset: str, sets: list[str], scale: float, is_recorded: bool = False) -> list[str]:
    """Settings of capacities, and of batches where there are any, that are so many times as high.

    Rates of generated streams follow the capacity; those of recorded ones are scaled, too.

    Raises
    ------
    InputError
        If the factor is out of bounds, or capacities differ between experiments.
    """
    if scale == 1.0:
        return []
    if not LEAST <= scale <= MOST:
        raise InputError(f"`--scale` must be between {LEAST:g} and {MOST:g} (got {scale:g})")
    from pipeline.config.load import resolve

    experiments = resolve(preset, None, sets, []).live
    rates = {(experiment.capacity, experiment.consumer_rate) for experiment in experiments}
    batches = {each.batch_bytes for each in experiments if each.mode == "cycle"}
    if len(rates) > 1 or len(batches) > 1:
        raise InputError("`--scale` needs experiments of the same capacities; use --set capacity=…")
    ((capacity, rate),) = rates
    return [
        f"capacity={capacity * scale:.17g}",
        f"consumer_rate={rate * scale:.17g}",
        *(f"batch_bytes={round(batch * scale)}" for batch in batches),
        *([f"scale={scale:.17g}"] if is_recorded else []),
    ]
