"""Arguments of strategies: names, defaults and bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from algorithms.autoscaling.number_checks import check_number, check_switch
from algorithms.autoscaling.scaling_policies import Behaviour, check_behaviour
from algorithms.autoscaling.trained import trained_policy
from algorithms.core.arrays import check_count

Value = bool | int | float | str | Behaviour


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument; the type of its default is that of its values."""

    name: str
    default: Value
    """Its value if none is given. Text stands for a trained policy."""
    at_least: float = -math.inf
    at_most: float = math.inf
    """`at_least`, `at_most`: least and greatest value. For a behaviour, `at_most` is the greatest
    percentage of a policy."""
    above: float = -math.inf
    """Bound that a number must exceed."""

    def check(self, value: Any) -> Value:
        """Return a value as its type, or raise InvalidParameterError."""
        if isinstance(self.default, bool):
            return check_switch(self.name, value)
        if isinstance(self.default, int):
            return check_count(self.name, value, int(self.at_least), int(self.at_most))
        if isinstance(self.default, Behaviour):
            return check_behaviour(self.name, value, self.at_most)
        if isinstance(self.default, str):
            return trained_policy.check_name(self.name, value)
        return check_number(
            self.name, value, at_least=self.at_least, at_most=self.at_most, above=self.above
        )
