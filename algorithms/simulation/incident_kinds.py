"""What can happen to a simulated group: kinds of incidents and their parameters.

An incident is what users call an event of their group. Here, events are what the group serves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from algorithms.core.group_declarations import MAX_RATE, MAX_REPLICAS, MAX_SECONDS
from algorithms.core.setting import REQUIRED, Written, setting

_PERCENT = re.compile(r"(\d{1,3})%", re.ASCII)


def _percent(text: str) -> str | None:
    """A share of the replicas as it is stored; None if the text is none."""
    match = _PERCENT.fullmatch(text)
    if match is None:
        return None
    if int(match[1]) > 100:
        raise ValueError("a share between 0% and 100%")
    return text


_SHARE = Written("a share of the replicas such as 25%", _percent)


@dataclass(frozen=True, kw_only=True)
class Outage:
    """The group serves nothing; strategies still decide, and replicas still start and stop."""

    outage_s: float = setting(
        900.0, "Time that the group stands still.", "s", at_least=0, at_most=MAX_SECONDS
    )


@dataclass(frozen=True, kw_only=True)
class Crash:
    """The replica with the highest rate is gone; the lowest id of several.

    What it served since its last commit is served again. Its partitions wait ``session_s``; then
    the others take them over, and a new replica starts.
    """


@dataclass(frozen=True, kw_only=True)
class Limit:
    """Something behind the group slows all of it: each replica has the same part of a rate."""

    limit_rate: float = setting(
        REQUIRED,
        "Rate that all replicas serve together, at most.",
        "events/s",
        above=0,
        at_most=MAX_RATE,
    )
    limit_s: float | None = setting(
        None,
        "How long. Default: to the end of the workload.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )


@dataclass(frozen=True, kw_only=True)
class Restart:
    """A rolling update replaces all replicas, as a Deployment does; each step is a rebalance.

    A step removes as many old replicas as may be unavailable, and starts as many new ones as fit
    the surge. The next one follows once all have joined and all partitions are consumed again.
    """

    surge: int | str = setting(
        "25%",
        "Replicas above their number, or a share of it, rounded up: maxSurge.",
        "replicas",
        at_least=0,
        at_most=MAX_REPLICAS,
        written=_SHARE,
    )
    unavailable: int | str = setting(
        "25%",
        "Replicas that may be missing, or a share of them, rounded down: maxUnavailable. At least "
        "1 without surge.",
        "replicas",
        at_least=0,
        at_most=MAX_REPLICAS,
        written=_SHARE,
    )
    pause_s: float = setting(
        0.0, "Time from one step to the next.", "s", at_least=0, at_most=MAX_SECONDS
    )


@dataclass(frozen=True, kw_only=True)
class WarmUp:
    """New replicas are slow at first: their rate rises in ten equal steps."""

    rise_s: float = setting(
        30.0,
        "Time until a new replica serves at its full rate.",
        "s",
        at_least=0,
        at_most=MAX_SECONDS,
    )
    first_share: float = setting(
        0.3, "Share of its rate with which it begins.", "ratio", at_least=0, at_most=1
    )


@dataclass(frozen=True, kw_only=True)
class Spot:
    """A share of the replicas ends after a notice; those with the lowest ids.

    With the notice, as many new ones start. If they may take longer to start than it lasts, or
    members are static, they start when it is over.
    """

    notice_s: float = setting(
        120.0, "Time from the notice to the end.", "s", at_least=0, at_most=MAX_SECONDS
    )
    share: float = setting(
        0.3,
        "Share of the replicas that ends, to two decimals; their number is rounded up.",
        "ratio",
        at_least=0.01,
        at_most=1,
    )


READINGS = ("missing", "stale", "zero", "partition")
"""What is read of a blind group, in the order of `algorithms.autoscaling.dispatch.MISSING`."""


@dataclass(frozen=True, kw_only=True)
class Blind:
    """What strategies and autoscalers read of the group is wrong; its members go on."""

    blind_s: float = setting(600.0, "How long it is wrong.", "s", at_least=0, at_most=MAX_SECONDS)
    reads: str = setting(
        "missing",
        "What is read: nothing, what was read last, zeros, or all but the last partition.",
        one_of=READINGS,
    )


Parameters = Outage | Crash | Limit | Restart | WarmUp | Blind | Spot


@dataclass(frozen=True, kw_only=True)
class Kind:
    """How a kind is written."""

    parameters: type[Parameters]
    names: Mapping[str, str]
    """Field by name in a text; the first one needs no name."""
    lasts: bool = False
    """Whether it holds for all of the workload, so that it has no time."""


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "outage": Kind(parameters=Outage, names={"for": "outage_s"}),
        "crash": Kind(parameters=Crash, names={}),
        "limit": Kind(parameters=Limit, names={"rate": "limit_rate", "for": "limit_s"}),
        "restart": Kind(
            parameters=Restart,
            names={"surge": "surge", "unavailable": "unavailable", "pause_s": "pause_s"},
        ),
        "warm_up": Kind(
            parameters=WarmUp, names={"for": "rise_s", "from": "first_share"}, lasts=True
        ),
        "blind": Kind(parameters=Blind, names={"for": "blind_s", "kind": "reads"}),
        "spot": Kind(parameters=Spot, names={"notice": "notice_s", "share": "share"}),
    }
)
"""All kinds, by name."""


def as_number(value: int | str) -> float:
    """Replicas, or minus the share of them: in one number, as kernels read it."""
    return -int(value.removesuffix("%")) / 100.0 if isinstance(value, str) else float(value)
