"""Model of an experiment of the family `pulsar`: an application on a Pulsar, and what scales it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, model_validator

from algorithms.core.setting import declared
from live.pulsar.function_settings import AT_LEAST_ONCE, IMAGES, FunctionChoices
from live.pulsar.standalone import EXTENDED, STOCK
from pipeline.inputs.applications.policy_names import COMPARED, PUBLISHED
from pipeline.settings import field_checks
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import FieldError, checked_by

FIXED = "fixed"
"""What decides where changes are made at set times."""

MAX_REPLICATES = 100

MOST_SECONDS = 86_400.0
"""Time that one experiment may take, s: a day."""

MOST_RATE = 200.0
"""Events/s: above it two cores no longer hold records for as long as they say."""

OPEN_SETTINGS = ("recognise_s", "load_levels", "image_width", "receiver_queue", "hold")
"""What the paper does not say of its application. Of `load_levels` it says how many there are."""

_EXECUTORS = (STOCK, EXTENDED)


def _executors(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    if not items or len(set(map(str, items))) < len(items):
        raise FieldError(
            f"`executors` must be different ones of {', '.join(_EXECUTORS)} (got {items})",
            "executors",
        )
    return tuple(field_checks.one_of("executors", item, _EXECUTORS) for item in items)


def _policies(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(str(item) for item in items)


class PulsarExperiment(FamilyExperiment, FunctionChoices, frozen=True):
    """An application of Pulsar Functions, and policies and executors that scale it."""

    SHOWN_SIZES: ClassVar[tuple[str, ...]] = ("replicates",)
    COUNTED: ClassVar[str] = "application run"

    policies: Annotated[tuple[str, ...], BeforeValidator(_policies)] = COMPARED
    """Policies, as ``NAME`` or ``NAME:PARAMETER=VALUE:…``, as [applications](applications.md) have
    them; none counts if there are `resizings`."""
    executors: Annotated[tuple[str, ...], BeforeValidator(_executors)] = _EXECUTORS
    """How Pulsar carries out a new number of instances: ``stock`` restarts all of a function,
    ``extended`` starts or stops the difference."""
    replicates: Annotated[int, checked_by(field_checks.whole, 1, MAX_REPLICATES)] = 1
    """Runs, which differ in their random numbers."""

    @property
    def compared(self) -> tuple[str, ...]:
        """What decides on instances, run by run."""
        return (FIXED,) if self.resizings else self.policies

    @property
    def amount(self) -> int:
        """Number of runs of the application."""
        return len(self.compared) * len(self.executors) * self.replicates

    @property
    def is_published(self) -> bool:
        """Whether it is that of the paper's Section 5.2, whatever its `OPEN_SETTINGS`."""
        defaults = {name: item.default for name, item in declared(FunctionChoices).items()}
        published = defaults | {"graph": IMAGES, "guarantee": AT_LEAST_ONCE}
        return (
            set(PUBLISHED) <= set(self.compared)
            and len(self.load_levels) == len(published["load_levels"])
            and all(
                getattr(self, name) == value
                for name, value in published.items()
                if name not in OPEN_SETTINGS
            )
        )

    @property
    def seconds(self) -> float:
        """Length of the load of one run, s."""
        slots = 4 * self.resizings + 1
        return slots * self.slot_s if self.resizings else len(self.load_levels) * self.piece_s

    @property
    def fastest(self) -> float:
        """Highest rate of the source, events/s."""
        return max(self.load_levels) / self.recognise_s

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.seconds * self.amount > MOST_SECONDS:
            raise FieldError(
                f"`replicates` × policies × executors × time of a run must be at most "
                f"{MOST_SECONDS:,.0f} s (got {self.seconds * self.amount:,.0f} s); choose fewer",
                "replicates",
                "piece_s",
            )
        if self.receiver_queue < 1:
            raise FieldError(
                "`receiver_queue` must be at least 1 on a Pulsar (got 0); 0 is simulated only",
                "receiver_queue",
            )
        if self.fastest > MOST_RATE:
            raise FieldError(
                f"`load_levels` / recognise_s must be at most {MOST_RATE:g} events/s (got "
                f"{self.fastest:,.0f}); lower load_levels or raise recognise_s",
                "load_levels",
                "recognise_s",
            )
        if not self.resizings:
            self._check_decisions()
            self._check_policies()
        return self

    def _check_decisions(self) -> None:
        """An interval of constant load is made of whole windows between decisions."""
        many = self.piece_s / self.decision_s
        if abs(many - round(many)) > 1e-9 or many < 1.0:
            raise FieldError(
                f"`piece_s` must be a multiple of `decision_s` (got {self.piece_s:g} and "
                f"{self.decision_s:g} s)",
                "piece_s",
                "decision_s",
            )

    def _check_policies(self) -> None:
        # These import Numba.
        from pipeline.settings.pulsar_application import application_of, policies_of

        with field_checks.naming():
            policies_of(self, application_of(self))
