"""Addresses of Kafka brokers."""

from __future__ import annotations

import re

MOST = 100
"""Addresses at most: clients find all brokers of a cluster through any of them."""

# A name of a host has at most 253 characters.
_ADDRESS = re.compile(r"(\[[0-9a-fA-F:.%]{2,100}\]|[^\s,:\[\]/@]{1,253}):([0-9]{1,5})")


def listed(text: str) -> str | None:
    """Addresses ``HOST:PORT,…`` without blanks; None if one is wrong, or there are over `MOST`.

    >>> listed("b1:9092, [::1]:9093")
    'b1:9092,[::1]:9093'
    >>> listed("http://b1:9092") is listed("b1:65536") is None
    True
    """
    addresses = [address.strip() for address in text.split(",", MOST)]
    valid = len(addresses) <= MOST and all(map(_is_address, addresses))
    return ",".join(addresses) if valid else None


def _is_address(text: str) -> bool:
    parts = _ADDRESS.fullmatch(text)
    return parts is not None and 0 < int(parts[2]) < 2**16
