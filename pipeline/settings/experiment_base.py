"""What the experiments of all families have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationInfo, field_validator

from algorithms.core.setting import declared
from pipeline.base import limits
from pipeline.settings import field_checks
from pipeline.settings.field_checks import checked_by


class DeclaredModel(BaseModel, frozen=True):
    """A model that inherits the science's settings, and checks values by what is declared."""

    model_config = ConfigDict(extra="forbid", validate_default=True, use_attribute_docstrings=True)

    @field_validator("*", mode="before")
    @classmethod
    def _declared(cls, value: object, info: ValidationInfo) -> object:
        """Values of settings that the science declares."""
        item = declared(cls).get(str(info.field_name))
        return value if item is None else field_checks.declared_value(item, value)


class FamilyExperiment(DeclaredModel, frozen=True):
    """An experiment; families override what differs."""

    SHOWN_SIZES: ClassVar[tuple[str, ...]] = ("partitions", "iterations", "replicates")
    """Settings that lists of experiments show."""

    COUNTED: ClassVar[str] = "stream"
    """What its work is counted in."""

    name: Annotated[str, checked_by(field_checks.name)]

    @property
    def unit_deltas(self) -> Sequence[float | None]:
        """δ of each unit of work; None where units have none."""
        return (None,)

    @property
    def amount(self) -> int:
        """Number of what it is counted in."""
        return self.size.streams if self.size is not None else 0

    @property
    def size(self) -> limits.Size | None:
        """Size of its streams; None for agents, which learn without."""
        return None
