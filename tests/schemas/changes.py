"""Changes to a legal row that a check allows, and those that it refuses."""

from __future__ import annotations

from typing import Any, NamedTuple


class Changes(NamedTuple):
    """Changes to the first row of a table, by whether they leave it legal."""

    legal: list[dict[str, Any]]
    illegal: list[dict[str, Any]]
