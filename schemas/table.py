"""Contract of a table, and of all tables together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from schemas import naming_rules
from schemas.column import Column, named
from schemas.contract_errors import ContractError
from schemas.rule import Check, Rule


@dataclass(frozen=True, slots=True)
class Table:
    """The contract of one Delta table, or of the frame that audits one.

    Raises ContractError if columns or rules are named twice, or a key or partition column does not
        exist.
    """

    name: str
    """Lower case with underscores."""
    meaning: str
    """What the table is for."""
    grain: str
    """What one row stands for."""
    columns: tuple[Column, ...]
    """All columns, in their order in the files."""
    key: tuple[str, ...]
    """Columns whose values together occur once."""
    partition_by: tuple[str, ...] = ()
    """Columns that the files are laid out by."""
    rules: tuple[Rule, ...] = ()
    """Conditions on all rows of a run."""
    checks: tuple[Check, ...] = ()
    """Conditions on single rows."""
    audit: Table | None = None
    """For a table too large to be queried row by row: the contract of a frame with one row per
    group of its rows, whose columns are counted in a single pass over them. Keys and what holds
    inside the arrays are checked there."""
    transient: bool = False
    """Whether it is such a frame: made to be checked, then forgotten."""
    lasting: bool = False
    """Whether its rows outlive the run that they name: they are not replaced when a run id runs
    again, nor removed with old runs."""

    def __post_init__(self) -> None:
        """Refuse names that occur twice, or that name nothing."""
        naming_rules.require("table", self.name, self.meaning)
        names = [column.name for column in self.columns]
        _refuse(self.name, "columns given twice", _repeated(names))
        # Both name columns of the frame that is validated.
        named = {check.name for check in self.checks} & set(names)
        _refuse(self.name, "checks named like columns", sorted(named))
        _refuse(
            self.name,
            "checks or rules given twice",
            _repeated(item.name for item in self.conditions),
        )
        for what, columns in (("key", self.key), ("partition_by", self.partition_by)):
            _refuse(self.name, f"{what} names no columns", sorted(set(columns) - set(names)))
        if not self.key:
            raise ContractError(f"table {self.name!r}: needs a key")

    @property
    def conditions(self) -> tuple[Check | Rule, ...]:
        """All checks and rules, those of the audit frame included."""
        audited = self.audit.conditions if self.audit else ()
        return (*self.checks, *self.rules, *audited)

    def column(self, name: str) -> Column:
        """Return a column by its name. Raises ContractError if there is no such column."""
        return named(self.columns, name, f"table {self.name!r}")


def index(*tables: Table) -> Mapping[str, Table]:
    """Contracts by name, in the given order, once they are known to fit together.

    Raises ContractError if a name is given twice, or a rule reads a table that does not exist.
    """
    names = [table.name for table in tables]
    _refuse("*", "tables given twice", _repeated(names))
    for table in tables:
        rules = [rule for rule in table.conditions if isinstance(rule, Rule)]
        read = {name for rule in rules for name in rule.tables}
        _refuse(table.name, "rules read tables that do not exist", sorted(read - set(names)))
    return MappingProxyType(dict(zip(names, tables, strict=True)))


def _repeated(names: Iterable[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]


def _refuse(table: str, problem: str, offenders: list[str]) -> None:
    if offenders:
        raise ContractError(f"table {table!r}: {problem}: {', '.join(offenders)}")
