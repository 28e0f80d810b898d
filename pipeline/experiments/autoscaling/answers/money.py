"""Prices with a currency, such as ``0.048USD`` for a replica and hour."""

from __future__ import annotations

import math
import re

from algorithms.core.input_errors import AlgorithmError
from algorithms.core.setting_checks import checked
from algorithms.simulation.group_costs import Prices
from algorithms.simulation.incident_kinds import Spot
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.experiments.autoscaling.answers.recommendation_figures import shown
from pipeline.experiments.autoscaling.recommendation.recommendation_question import Question

REPLICAS = "replicas"
"""Unit of costs without a price: the mean number of replicas."""

MONTH_HOURS = 730.0
"""Hours of a month: a twelfth of 8,760."""

_PRICE = re.compile(r"([0-9.eE+-]+)\s*([A-Za-z]{3}|[€$£¥]|)")


def price(option: str, text: str) -> tuple[float, str]:
    """A price and its currency; empty if none is named.

    >>> price("--replica-cost", "0.048USD")
    (0.048, 'USD')
    """
    match = _PRICE.fullmatch(text.strip())
    try:
        value = math.nan if match is None else float(match[1])
    except ValueError:
        value = math.nan
    if match is None or math.isnan(value):
        raise InputError(f"{option} must be a price, such as 0.048 or 0.048USD (got {named(text)})")
    return value, match[2].upper()


def of_replicas(replica_cost: str, spot_price: str | None) -> tuple[float, str, Spot | None]:
    """The mean price of a replica, its currency, and which replicas are spot instances, if any.

    replica_cost, spot_price: Price for an hour; and that of spot instances with their share of the
        replicas, as ``0.015USD@0.3``.

    >>> of_replicas("1USD", "0.5USD@0.4")
    (0.8, 'USD', Spot(notice_s=120.0, share=0.4))
    """
    hourly, currency = price("--replica-cost", replica_cost)
    if spot_price is None:
        return hourly, currency, None
    option, text = "--spot-price", spot_price
    cost, sign, written = text.partition("@")
    own, named_currency = price(option, cost)
    if named_currency != currency:
        raise InputError(
            f"{option} must have the currency of --replica-cost, {currency or 'none'} (got "
            f"{named_currency or 'none'})"
        )
    if not 0.0 <= own <= hourly:
        raise InputError(
            f"{option} must be between 0 and --replica-cost, {hourly:g} (got {own:g}): lower it"
        )
    kind = Spot()
    if sign:
        try:
            kind = checked(Spot(share=float(written)))
        except (ValueError, AlgorithmError):
            raise InputError(
                f"{option} {text}: the share must be a number between 0.01 and 1 (got {written!r})"
            ) from None
    return hourly + kind.share * (own - hourly), currency, kind


def unit(question: Question) -> str:
    """What costs are counted in."""
    return question.currency or (REPLICAS if question.prices == Prices() else "price")


def hourly(question: Question, *costs: float) -> str:
    """A cost per hour in a sentence, or the ends of an interval.

    With the default prices, a cost is a mean number of replicas.
    """
    amount = " to ".join(map(shown, costs))
    if question.currency:
        return f"{question.currency} {amount} per hour"
    if question.prices == Prices():
        return f"{amount} replica{'s' * (amount != '1')}"
    return f"{amount} per hour"


def monthly(cost: float, currency: str) -> str:
    """The cost of a month of 730 hours."""
    return f"{currency} {shown(cost * MONTH_HOURS)}".strip()
