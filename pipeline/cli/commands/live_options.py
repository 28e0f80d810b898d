"""Options of commands that read from a user's cluster."""

from __future__ import annotations

import logging
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.base.errors import InputError
from pipeline.base.text.printable import printable

if TYPE_CHECKING:
    from live.login.client_properties import ClientProperties
    from live.user_cluster.cluster_access import TopicAccess

STRATEGY = "MWF"
"""Assignment algorithm of a group that runs a user's program, unless the command names another."""

Bootstrap = Annotated[
    str | None,
    typer.Option(
        metavar="HOST:PORT",
        help="Brokers, separated by commas \\[default: bootstrap.servers of --config]",
    ),
]
Capacity = Annotated[
    str, typer.Option(metavar="RATE", help="Planned load of a consumer, such as 20MB.")
]
ConsumerRate = Annotated[
    str, typer.Option(metavar="RATE", help="What a consumer processes at most, such as 25MB.")
]
Topic = Annotated[str, typer.Option(metavar="NAME", help="Topic to read about.")]
Config = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Client properties as for Kafka's own tools: TLS, SASL \\[default: no encryption]",
    ),
]


def opened(bootstrap: str | None, topic: str, config: Path | None) -> TopicAccess:
    """Connect to the cluster; settings of the file without effect are named on standard error."""
    from live.user_cluster import cluster_access

    # What is wrong is reported here; the client would log each attempt, at worst with its settings.
    logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
    checked, properties = cluster(bootstrap, config)
    return cluster_access.access(checked, topic, properties)


def cluster(bootstrap: str | None, config: Path | None) -> tuple[str, ClientProperties]:
    """Addresses and client settings of a cluster; warns of settings without effect."""
    from live.login import client_properties
    from live.user_cluster import cluster_access

    properties = client_properties.NO_PROPERTIES
    if config is not None:
        properties = client_properties.read(config)
    if properties.warning:
        print(f"Note: {printable(properties.warning)}", file=sys.stderr)
    return cluster_access.check_bootstrap(bootstrap, properties), properties


def check_seconds(option: str, value: float, least: float, most: float) -> float:
    """A number of seconds within bounds. Raises InputError if it is not."""
    if not (math.isfinite(value) and least <= value <= most):
        raise InputError(f"`{option}` must be between {least:g} and {most:,.0f} s (got {value:g})")
    return value
