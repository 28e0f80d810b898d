"""Conditions on the rows of a table: on single rows, and on all rows of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from schemas import naming_rules
from schemas.contract_errors import ContractError

_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Check:
    """A condition on one row, cheap enough to be evaluated on each write."""

    name: str
    """What an operator sees when it fails."""
    meaning: str
    """What holds, in sentences."""
    sql: str
    """Spark SQL that is true for a legal row. Null counts as false, as it does in Delta's CHECK
    constraints."""

    def __post_init__(self) -> None:
        """Refuse a check without a proper name or meaning, or on more than a row."""
        naming_rules.require("check", self.name, self.meaning)
        if _PLACEHOLDER.search(self.sql):
            raise ContractError(f"check {self.name!r}: sees one row, so its SQL names no table")


@dataclass(frozen=True, slots=True)
class Rule:
    """A condition on all rows of a run in one table, possibly against its other tables."""

    name: str
    """What an operator sees when it fails."""
    meaning: str
    """What holds, in sentences."""
    sql: str
    """Spark SQL that returns the offending rows, hence none where all is well. It refers to the
    rows under test as ``{batch}`` and to the same run's rows of other tables as ``{streams}``,
    ``{scores}`` and so on."""

    def __post_init__(self) -> None:
        """Refuse a rule without a proper name or meaning, or that tests nothing."""
        naming_rules.require("rule", self.name, self.meaning)
        if "batch" not in _PLACEHOLDER.findall(self.sql):
            raise ContractError(f"rule {self.name!r}: its SQL must read the rows, {{batch}}")

    @property
    def tables(self) -> tuple[str, ...]:
        """Other tables that the rule reads, by name."""
        return tuple(sorted(set(_PLACEHOLDER.findall(self.sql)) - {"batch"}))

    def bound(self, views: Mapping[str, str]) -> str:
        """Replace the other tables by views in the SQL, and leave ``{batch}`` for the caller.

        Raises ContractError if ``views`` lacks a table that the rule reads.
        """
        missing = [table for table in self.tables if table not in views]
        if missing:
            raise ContractError(
                f"rule {self.name!r} reads {', '.join(self.tables)}: "
                f"give a view for {', '.join(missing)}"
            )
        names = {**views, "batch": "{batch}"}
        return _PLACEHOLDER.sub(lambda match: names[match[1]], self.sql)
