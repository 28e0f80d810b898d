"""Model of an experiment of the family `applications`: an application, and policies to scale it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, model_validator

from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.setting import declared
from algorithms.simulation.application_settings import ScaledApplication, check_settings
from algorithms.simulation.prefetch_crossing import CrossingChoices
from pipeline.base.text.quoting import shown
from pipeline.inputs.applications import application_text, policy_names
from pipeline.inputs.applications.application_text import IMAGES, PARTS, Described
from pipeline.inputs.applications.policy_names import COMPARED, PUBLISHED, Policy
from pipeline.settings import field_checks
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import FieldError, checked_by

MAX_REPLICATES = 1_000

COMMON_QUEUE = {"receiver_queue": 0}
"""Setting with which the instances of a function share a queue, as papers' planners assume."""

MAX_ROWS = 20_000_000
"""Rows of `function_steps` that an experiment may have: about a gigabyte in a run's tables."""


def _application(value: object) -> str:
    """The application as a text, so that it can be compared, stored and shown as others are."""
    try:
        if isinstance(value, Mapping):
            return application_text.describe_only(value).text
        if isinstance(value, str):
            application_text.parse(value)
            return value
    except InvalidParameterError as error:
        raise FieldError(f"`application`: {error}", "application") from None
    raise FieldError(
        f"`application` must be {IMAGES}, or a mapping with {', '.join(PARTS)} (got "
        f"{shown(value)}); see docs/applications.md",
        "application",
    )


def _policies(value: object) -> tuple[str, ...]:
    """Policies in one spelling; whether they fit the application is checked with it."""
    items = list(value) if isinstance(value, list | tuple) else [value]
    if not items or not all(isinstance(item, str) for item in items):
        raise FieldError(
            f"`policies` must be names of policies (got {shown(value)}), such as "
            f"policies={','.join(COMPARED[:2])}",
            "policies",
        )
    with field_checks.naming():
        return tuple(policy.label for policy in policy_names.parse(items))


class ApplicationExperiment(FamilyExperiment, ScaledApplication, CrossingChoices, frozen=True):
    """Policies that scale the functions of an application, which is simulated event by event."""

    SHOWN_SIZES: ClassVar[tuple[str, ...]] = ("replicates",)
    COUNTED: ClassVar[str] = "simulation"

    application: Annotated[str, BeforeValidator(_application)] = IMAGES
    """``images``, the application of a paper, or a mapping with functions, edges and sources."""
    policies: Annotated[tuple[str, ...], BeforeValidator(_policies)] = COMPARED
    """Policies, as ``NAME`` or ``NAME:PARAMETER=VALUE:…``."""
    replicates: Annotated[int, checked_by(field_checks.whole, 1, MAX_REPLICATES)] = 30
    """Simulations that differ only in their random numbers, which all policies share."""

    @property
    def described(self) -> Described:
        """The application."""
        return application_text.parse(self.application)

    @property
    def parsed(self) -> list[Policy]:
        """The policies with their arguments."""
        return policy_names.parse(self.policies)

    @property
    def settings(self) -> dict[str, object]:
        """Settings of a simulation besides its seed."""
        return {name: getattr(self, name) for name in declared(ScaledApplication)}

    @property
    def is_published(self) -> bool:
        """Whether it has the application, settings and policies that a paper has figures of."""
        defaults = {name: item.default for name, item in declared(ScaledApplication).items()}
        return (
            self.described == application_text.parse(IMAGES)
            and self.settings == defaults | COMMON_QUEUE
            and set(PUBLISHED) <= set(self.policies)
        )

    @property
    def amount(self) -> int:
        """Number of simulations."""
        return len(self.policies) * self.replicates

    @model_validator(mode="after")
    def _agree(self) -> Self:
        application = self.described.checked
        with field_checks.naming():
            check_settings(self.settings, application.seconds)
            policy_names.check(self.parsed, application, self.r_max)
        for name in ("backlogs", "receiver_queues"):
            crossed = getattr(self, name) or ()
            if len(set(crossed)) < len(crossed):
                raise FieldError(
                    f"`{name}` must have different numbers (got {shown(list(crossed))})", name
                )
        steps = -(-application.seconds // self.decision_s) * len(application.functions)
        if steps * self.amount > MAX_ROWS:
            raise FieldError(
                f"`replicates` × policies × functions × decisions must be at most {MAX_ROWS:,} "
                f"(got {steps * self.amount:,.0f}); choose fewer replicates or a longer decision_s",
                "replicates",
                "decision_s",
            )
        return self
