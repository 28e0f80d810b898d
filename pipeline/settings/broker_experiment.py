"""Model of an experiment of the family `brokers`: brokers that join a cluster and leave it."""

from __future__ import annotations

from typing import Annotated, ClassVar, Self

from pydantic import BeforeValidator, model_validator

from live.brokers.elastic_choices import FAULTS, ElasticChoices
from pipeline.settings import field_checks
from pipeline.settings.experiment_base import FamilyExperiment
from pipeline.settings.field_checks import FieldError


def _faults(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else [value]
    return tuple(field_checks.one_of("faults", item, FAULTS) for item in items)


class BrokerExperiment(FamilyExperiment, ElasticChoices, frozen=True):
    """Brokers that join a cluster and leave it while records flow."""

    SHOWN_SIZES: ClassVar[tuple[str, ...]] = ("partitions", "scalings")
    COUNTED: ClassVar[str] = "scaling"

    faults: Annotated[tuple[str, ...], BeforeValidator(_faults)] = ()
    """What happens while partitions move, in turn at every second scaling: ``killed`` (kill -9 of
    the broker that joins or leaves), ``controller`` (kill -9 of our controller; another one goes
    on), ``cancelled`` (the same, and the other one cancels the reassignment), and of brokers that
    join, ``disk-full`` (its disk, for 20 s) and ``disk-stays-full`` (it is taken out again)."""

    @property
    def amount(self) -> int:
        """Number of scalings."""
        return self.scalings

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.most_brokers <= self.least_brokers:
            raise FieldError(
                f"`most_brokers` must be above least_brokers (got {self.most_brokers} and "
                f"{self.least_brokers})",
                "most_brokers",
                "least_brokers",
            )
        if self.replication > self.least_brokers:
            raise FieldError(
                f"`replication` must be at most least_brokers (got {self.replication} and "
                f"{self.least_brokers} brokers)",
                "replication",
                "least_brokers",
            )
        if self.faults and self.replication < 3:
            raise FieldError(
                f"`replication` must be 3 if there are faults, so that a killed broker takes no "
                f"record with it (got {self.replication})",
                "replication",
                "faults",
            )
        return self
