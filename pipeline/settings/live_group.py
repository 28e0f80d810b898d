"""Model of a live group that runs a user's program, for as long as it is wanted."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, ValidationInfo

from live.live_settings import Cluster, LiveSettings
from live.protocol.loss_settings import MOST_CONSUMERS
from live.user_cluster import controlled_strategy
from pipeline.base.text.quoting import named, shown
from pipeline.settings.experiment_base import DeclaredModel
from pipeline.settings.field_checks import FieldError
from pipeline.settings.live_experiment import Bootstrap, Capacity, ConsumerRate, Partitions
from pipeline.settings.live_strategies import is_algorithm
from pipeline.settings.settings import Setting
from pipeline.settings.validation import made

_NAME = re.compile(r"[a-z]([-a-z0-9]{0,38}[a-z0-9])?")


def _name(value: object) -> object:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise FieldError(
            "`name` must be lowercase letters, digits and -, at most 40 characters, such as orders "
            f"(got {named(value)})",
            "name",
        )
    return value


def _strategy(value: object) -> object:
    if not isinstance(value, str) or not (
        is_algorithm(value) or controlled_strategy.is_controlled(value)
    ):
        raise FieldError(
            "`strategy` must be an assignment algorithm, such as MWF; see `groupscale algorithms`; "
            f"or such as controller:headroom+placement (got {named(value)})",
            "strategy",
        )
    return value


def _consumers(value: object, info: ValidationInfo) -> object:
    most = min(info.data.get("partitions", MOST_CONSUMERS), MOST_CONSUMERS)
    if value is None:
        return most
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise FieldError(
            f"`consumers` must be between 1 and {most}, one per partition and {MOST_CONSUMERS} in "
            f"all (got {shown(value)})",
            "consumers",
            "partitions",
        )
    return value


class LiveGroup(DeclaredModel, Cluster, frozen=True):
    """A group on a user's cluster."""

    name: Annotated[str, BeforeValidator(_name)]
    """Its topics are ``gs.<name>.…``."""
    bootstrap: Bootstrap
    """Brokers, ``HOST:PORT,…``."""
    partitions: Partitions
    """Partitions of topic ``gs.<name>.data``."""
    capacity: Capacity
    """Planned load of a consumer C, bytes/s."""
    consumer_rate: ConsumerRate
    """What a consumer processes at most, C̄, bytes/s."""
    strategy: Annotated[str, BeforeValidator(_strategy)]
    """An assignment algorithm, or one of `live.user_cluster.controlled_strategy`."""
    consumers: Annotated[int, BeforeValidator(_consumers)] = MOST_CONSUMERS
    """Consumers at most. Default: one per partition, and at most 40."""


def of_options(values: Mapping[str, object]) -> LiveGroup:
    """A group of a command's options. Raises InputError if a value is out of its limits."""
    return made(LiveGroup, {name: Setting(value, "") for name, value in values.items()})


def settings_of(
    group: LiveGroup, folder: str = "", client_file: str = "", data_topic: str = ""
) -> LiveSettings:
    """Settings of its processes.

    folder, client_file, data_topic: As in `LiveSettings`.
    """
    return LiveSettings(
        run=group.name,
        bootstrap=group.bootstrap,
        folder=folder,
        partitions=group.partitions,
        capacity=group.capacity,
        consumer_rate=group.consumer_rate,
        iteration_s=10.0,
        iterations=1,
        record_bytes=0,
        nodes=group.nodes,
        client_file=client_file,
        data_topic=data_topic,
    )
