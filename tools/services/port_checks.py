"""Ports of the services: their numbers, and whether they are free; and allowed hosts."""

from __future__ import annotations

import os
import socket
from collections.abc import Collection, Mapping

from pipeline.base.errors import InputError
from pipeline.orchestration.web_origins import ALLOWED_HOSTS, allowed_hosts
from tools.console import SetupError
from tools.services.service_topology import HOST, SERVICES


def wanted() -> dict[str, int]:
    """Ports by variable. Raises SetupError if one is no port number, or two are the same."""
    chosen: dict[str, int] = {}
    for service in SERVICES:
        for port in service.ports:
            number = parsed(port.variable, os.environ.get(port.variable, str(port.number)))
            same = [name for name, other in chosen.items() if other == number]
            if same:
                raise SetupError(
                    f"{service.name}: {port.variable} and {same[0]} must differ (both are "
                    f"{number}); choose another with {port.variable}=PORT"
                )
            chosen[port.variable] = number
    return chosen


def check_free(names: Collection[str], ports: Mapping[str, int]) -> None:
    """Check that services can listen. Raises SetupError for the first port that is taken."""
    for service in SERVICES:
        for port in service.ports if service.name in names else ():
            check_one(service.name, port.variable, ports[port.variable])


def check_one(name: str, variable: str, number: int) -> None:
    """Check that a service can listen on a port; raises `SetupError` if it cannot."""
    if not _is_free(number):
        raise SetupError(
            f"{name}: port {number} of {HOST} is in use by another program; "
            f"choose another with {variable}=PORT"
        )


def parsed(variable: str, text: str) -> int:
    """Number of a port; raises `SetupError` if it is not valid."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 65535:
        raise SetupError(f"`{variable}` must be a port between 1 and 65535 (got {text!r})")
    return int(text)


def check_hosts(env: Mapping[str, str]) -> None:
    """Check that other hosts are named as Airflow's server requires; else raise `SetupError`."""
    try:
        allowed_hosts(env.get(ALLOWED_HOSTS, ""))
    except InputError as error:
        raise SetupError(str(error)) from error


def _is_free(number: int) -> bool:
    with socket.socket() as probe:
        # As the services do: a port whose last connection has just been closed is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, number))
        except OSError:
            return False
    return True
