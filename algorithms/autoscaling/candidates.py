"""Strategies with their parameters: how they are written, and the values to compare them with.

A candidate is written ``headroom``, or ``headroom:h=1.5:hold=30`` with parameters, or
``headroom:sweep`` for a range of them, ``headroom:sweep=5`` for five of these. A parameter is an
argument of the strategy or a setting of the group, such as ``constant:initial_replicas=3`` or
``linear:assignor=sticky``. A trained policy is written without the argument's name, as
``dqn:policies/mine.json``. It is a text until a caller that reads files puts the policy in place.
The behaviours of ``keda_hpa`` are written as `behaviour_texts` says, pieces of ``startup_s`` as
`startup_times` does. A parameter whose value is ``null`` has its default, and is left out.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from algorithms.autoscaling import behaviour_texts, strategies
from algorithms.autoscaling.scaling_policies import Behaviour
from algorithms.autoscaling.sweeps import SweptGroup
from algorithms.core import startup_times
from algorithms.core.group_declarations import ConfiguredGroup
from algorithms.core.input_errors import InvalidParameterError

SWEEP = "sweep"
"""In place of parameters: all of `sweep`, or so many of them."""

STEP_S = ConfiguredGroup.step_s
"""Length of a step, s, where a caller does not say it."""

_EXACT = 1e-9


class Candidate(NamedTuple):
    """A strategy with the parameters that differ from its defaults."""

    strategy: str
    """Name in `algorithms.autoscaling.registry`."""
    parameters: tuple[tuple[str, Any], ...] = ()
    """By name: arguments of the strategy, in the order in which it declares them, then settings of
    the group, in alphabetical order."""

    @property
    def parameter_text(self) -> str:
        """The parameters as they are written, ``h=1.5:hold=30``; empty without any."""
        bare = policy_argument(self.strategy) if self.parameters else None
        return ":".join(
            str(value) if name == bare else f"{name}={_text(name, value)}"
            for name, value in self.parameters
        )

    @property
    def label(self) -> str:
        """The candidate as it is written."""
        return ":".join(part for part in (self.strategy, self.parameter_text) if part)

    @property
    def arguments(self) -> dict[str, Any]:
        """Those parameters that are arguments of the strategy."""
        names = strategies.get(self.strategy).arguments
        return {name: value for name, value in self.parameters if name in names}

    @property
    def settings(self) -> dict[str, Any]:
        """Those parameters that are settings of the group, with those of the strategy's own."""
        strategy = strategies.get(self.strategy)
        names = strategy.arguments
        own = {name: value for name, value in self.parameters if name not in names}
        return strategy.settings_of_group(own)

    @property
    def chosen_settings(self) -> dict[str, Any]:
        """Those of `settings` that a group under this strategy need not have."""
        given = dict(strategies.get(self.strategy).group)
        return {name: value for name, value in self.settings.items() if name not in given}


def candidate(strategy: str, **parameters: Any) -> Candidate:
    """Return a candidate with its parameters in order.

    Raises UnknownAlgorithmError if the strategy is unknown. Other parameters are checked when it
        starts.
    Raises InvalidParameterError if the strategy is an assignor, and the parameters name another
        one, or if they name a setting that is the strategy's own.
    """
    definition = strategies.get(strategy)
    definition.check_assignor(parameters.get("assignor"))
    for name, value in definition.group:
        if name in parameters:
            raise InvalidParameterError(
                f"{name} is {value} under {strategy} (got {parameters[name]!r}); leave it out"
            )
    names = definition.arguments
    first = [name for name in names if name in parameters]
    rest = sorted(name for name in parameters if name not in names)
    return Candidate(strategy, tuple((name, parameters[name]) for name in (*first, *rest)))


def policy_argument(strategy: str) -> str | None:
    """Name of a strategy's argument that is a trained policy; None if it has none.

    >>> policy_argument("dqn"), policy_argument("linear")
    ('policy', None)
    """
    arguments = strategies.get(strategy).arguments
    return next((name for name, value in arguments.items() if isinstance(value, str)), None)


def parse(
    text: str, partitions: int, mu: float, wsla_s: float, step_s: float = STEP_S
) -> tuple[Candidate, ...]:
    """Return the candidates that a text stands for: one, or those of a sweep.

    text: ``NAME``, ``NAME:PARAMETER=VALUE:…``, ``NAME:sweep`` or ``NAME:sweep=N``, which has at
        most N candidates, the first and the last among them. Values are JSON, else texts. A
        policy's name follows the strategy's: ``NAME:POLICY:PARAMETER=VALUE:…``.
    Raises InvalidParameterError if a parameter has another form, is repeated or contradictory.
    """
    name = strategies.name_of(text)
    parts = text.removeprefix(name).split(":")[1:]
    if len(parts) == 1 and parts[0].split("=")[0] == SWEEP:
        return _thinned(sweep(name, partitions, mu, wsla_s, step_s), parts[0])
    parameters: dict[str, Any] = {}
    bare = policy_argument(name) if parts else None
    if bare is not None and parts[0] and "=" not in parts[0]:
        parameters[bare] = parts.pop(0)
    for part in parts:
        key, sign, value = part.partition("=")
        if not (key and sign and value) or key in parameters:
            raise InvalidParameterError(
                f"{text!r} must have the form NAME:PARAMETER=VALUE:…, each parameter once, "
                f"or NAME:{SWEEP} or NAME:{SWEEP}=N"
            )
        parameters[key] = _value(name, key, value)
    own = {key: value for key, value in parameters.items() if value is not None}
    return (candidate(name, **own),)


def sweep(
    strategy: str, partitions: int, mu: float, wsla_s: float, step_s: float = STEP_S
) -> tuple[Candidate, ...]:
    """Return a strategy with a range of its main parameter, which trades replicas for latency.

    step_s: Length of a step, s: times between decisions are whole steps.
    Returns: the strategy with its defaults is the first. A strategy without such a parameter is
        swept over the time between its decisions.

    >>> [each.label for each in sweep("headroom", 5, 100.0, 0.5)][:3]
    ['headroom', 'headroom:h=0.7', 'headroom:h=0.85']
    """
    definition = strategies.get(strategy)
    values: Iterable[Mapping[str, Any]]
    if definition.sweep is not None:
        values = definition.sweep(SweptGroup(partitions, mu, wsla_s))
    else:
        times = (whole_steps(seconds, step_s) for seconds in (1.0, 5.0, 10.0, 60.0))
        values = [{"decision_s": seconds} for seconds in dict.fromkeys(times)]
    every = (Candidate(strategy), *(candidate(strategy, **parameters) for parameters in values))
    decision_s = whole_steps(definition.decision_s, step_s)
    defaults = {**definition.arguments, "decision_s": decision_s, "initial_replicas": 1}
    same = [all(defaults.get(n) == v for n, v in each.parameters) for each in every]
    return tuple(each for i, each in enumerate(every) if i == 0 or not same[i])


def whole_steps(seconds: float, step_s: float) -> float:
    """The least multiple of a step that is not shorter, for the default of ``decision_s``.

    >>> whole_steps(15.0, 1.0), whole_steps(15.0, 10.0), whole_steps(1.0, 30.0)
    (15.0, 20.0, 30.0)
    """
    return max(1, math.ceil(seconds / step_s * (1.0 - _EXACT))) * step_s


def _thinned(every: tuple[Candidate, ...], text: str) -> tuple[Candidate, ...]:
    """As many candidates as ``sweep=N`` says, evenly spaced; all for ``sweep``."""
    if text == SWEEP:
        return every
    number = text.removeprefix(f"{SWEEP}=")
    if not re.fullmatch(r"[1-9][0-9]{0,2}", number, re.ASCII):
        raise InvalidParameterError(
            f"{SWEEP} must be a number of candidates, 1 to 999 (got {number!r})"
        )
    places = np.linspace(0, len(every) - 1, min(int(number), len(every)))
    return tuple(every[round(place)] for place in places)


def _value(strategy: str, name: str, text: str) -> Any:
    """A parameter's value; lists and mappings, which no parameter takes, stay texts."""
    try:
        value = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        value = text
    default = strategies.get(strategy).arguments.get(name)
    if value is not None and isinstance(default, Behaviour):
        return behaviour_texts.parse(name, text, default)
    return text if isinstance(value, list | dict) else value


def _text(name: str, value: Any) -> str:
    if isinstance(value, Behaviour):
        return behaviour_texts.text(value)
    if name == "startup_s" and isinstance(value, str):
        return startup_times.in_candidate(value)
    return value if isinstance(value, str) else json.dumps(value)
