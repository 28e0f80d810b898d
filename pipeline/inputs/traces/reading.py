"""How a file of a trace is read where its content does not say it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from pipeline.base.errors import InputError
from pipeline.base.text import quoting
from pipeline.inputs.traces import epochs
from pipeline.inputs.traces.files import SEE


class Reading(NamedTuple):
    """What the user says about the content of a file; None leaves it to be recognized."""

    values: str | None = None
    """``rates`` or ``offsets``: what samples of Prometheus and Grafana are."""
    timestamps: str | None = None
    """Unit of timestamps that are numbers: ``s``, ``ms``, ``us`` or ``ns``."""

    def refuse(self, path: Path, name: str, form: str) -> None:
        """Raise `InputError` if one is given for a form that excludes it, with the reason."""
        if getattr(self, name) is not None:
            raise InputError(f"{path}: --{name} does not apply to {form}; remove it; {SEE}")

    @property
    def words(self) -> list[str]:
        """Options of a command that reads the file in this way."""
        pairs = zip(self._fields, self, strict=True)
        return [word for name, value in pairs if value for word in (f"--{name}", value)]


RECOGNIZED = Reading()
"""Everything is recognized."""

KINDS = {"values": ("rates", "offsets"), "timestamps": tuple(epochs.UNITS)}
"""What can be said."""


def given(origins: Mapping[str, tuple[object, str]]) -> Reading:
    """What the user says, after checking it.

    origins: Value of each name of `KINDS` that is given, and where, for messages.
    Raises InputError if a value is none of its `KINDS`.
    """
    for name, (value, origin) in origins.items():
        if value is not None and value not in KINDS[name]:
            *others, last = KINDS[name]
            raise InputError(
                f"{origin} must be {', '.join(others)} or {last} (got {quoting.shown(value)})"
            )
    return Reading(**{name: str(value) for name, (value, _) in origins.items() if value})


def of_options(values: str | None, timestamps: str | None) -> Reading:
    """What ``--values`` and ``--timestamps`` say. Raises InputError as `given`."""
    return given({"values": (values, "--values"), "timestamps": (timestamps, "--timestamps")})


def refuse(values: str | None, timestamps: str | None, where: str) -> None:
    """Raise `InputError` if ``--values`` or ``--timestamps`` is given where no file is read."""
    for name, value in (("values", values), ("timestamps", timestamps)):
        if value is not None:
            raise InputError(f"--{name} does not apply {where}; remove it")
