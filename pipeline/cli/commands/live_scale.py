"""The option ``--scale`` of commands that run strategies on a broker."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from pipeline.base.errors import InputError
from pipeline.base.text import quantities
from pipeline.settings.option_setting import OptionSetting

BATCH = "batch_bytes"
LEAST, MOST = 0.01, 100.0

AMOUNTS = ("capacity", "consumer_rate", BATCH)

Scale = Annotated[float, typer.Option(metavar="X", help="Multiplies rates, C, C̄ and batch sizes.")]


def scaled(preset: str, sets: list[str], scale: float, is_recorded: bool = False) -> list[str]:
    """Settings of capacities, and of batches where there are any, that are so many times as high.

    Rates of generated streams follow the capacity; those of recorded ones are scaled, too. Only the
    products need to be within bounds.

    Raises InputError if the factor is out of bounds, or capacities differ between experiments.
    """
    if scale == 1.0:
        return []
    if not LEAST <= scale <= MOST:
        raise InputError(f"`--scale` must be between {LEAST:g} and {MOST:g} (got {scale:g})")
    from pipeline.settings import settings
    from pipeline.settings.load import resolve

    own = {key: one.value for key, one in settings.from_options(sets, "live").items()}
    by_key: dict[str, set[str]] = {}
    for experiment in resolve(preset, None, [], []).live:
        for key in AMOUNTS:
            if key != BATCH or own.get("mode", experiment.mode) == "cycle":
                value = own.get(key, getattr(experiment, key))
                by_key.setdefault(key, set()).add(_times(value, scale, key == BATCH))
    if any(len(values) > 1 for values in by_key.values()):
        raise InputError("`--scale` needs experiments of the same capacities; use --set capacity=…")
    products = {key: value for key, values in by_key.items() for value in values}
    if is_recorded:
        products["scale"] = f"{scale:.17g}"
    return [OptionSetting(key, value, f"--scale {scale:g}") for key, value in products.items()]


def _times(value: Any, scale: float, is_whole: bool) -> str:
    """A multiple of an amount; what is none stays, to be refused as without a scale."""
    try:
        number = quantities.amount(value) if isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        return str(value)
    return f"{number * scale:.0f}" if is_whole else f"{number * scale:.17g}"
