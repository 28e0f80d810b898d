"""What the experiments of all families have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

from pydantic import BaseModel, ConfigDict

from pipeline.base import limits
from pipeline.settings import field_checks
from pipeline.settings.field_checks import checked_by


class FamilyExperiment(BaseModel):
    """An experiment; families override what differs."""

    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True)

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
