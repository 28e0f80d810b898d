"""Contract of a view: a common query with the joins included."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from schemas import naming_rules
from schemas.column import Column, named
from schemas.contract_errors import ContractError
from schemas.table import Table


@dataclass(frozen=True, slots=True)
class View:
    """A view over the published rows of tables, and over views that come before it.

    Raises ContractError if columns are named twice, or the key or the query names what is not
        there.
    """

    name: str
    """Lower case with underscores."""
    meaning: str
    """What the view is for."""
    grain: str
    """What one row stands for."""
    columns: tuple[Column, ...]
    """All columns, in the order of the query."""
    key: tuple[str, ...]
    """Columns whose values together occur once."""
    reads: tuple[str, ...]
    """Tables and views that the query reads."""
    sql: str
    """The query, which means the same to Spark and to DuckDB."""

    def __post_init__(self) -> None:
        """Refuse a view whose parts do not go together."""
        naming_rules.require("view", self.name, self.meaning)
        names = [column.name for column in self.columns]
        if len(set(names)) < len(names):
            raise ContractError(f"view {self.name!r}: columns given twice")
        if not set(self.key) <= set(names):
            raise ContractError(f"view {self.name!r}: key names no columns")
        if not all(name in self.sql for name in self.reads):
            raise ContractError(f"view {self.name!r}: the query does not read {self.reads}")

    def column(self, name: str) -> Column:
        """Return a column by its name. Raises ContractError if there is no such column."""
        return named(self.columns, name, f"view {self.name!r}")


def index(tables: Mapping[str, Table], *views: View) -> Mapping[str, View]:
    """Views by name, each after those that it reads, else in the given order.

    Raises ContractError if a name is taken, or a view reads what is not there, or views read each
        other.
    """
    made: dict[str, View] = {}
    waiting = list(views)
    while waiting:
        readable = {*tables, *made}
        view = next((view for view in waiting if readable.issuperset(view.reads)), waiting[0])
        missing = sorted(set(view.reads) - readable)
        if missing:
            raise ContractError(f"view {view.name!r}: reads {', '.join(missing)} before it is made")
        if view.name in readable:
            raise ContractError(f"view {view.name!r}: the name is taken")
        made[view.name] = view
        waiting.remove(view)
    return MappingProxyType(made)


def select(columns: Iterable[tuple[Column, str]]) -> str:
    """The select list of a query: each column with the expression that gives it.

    >>> select([(Column("cbs", "double", "CBS.", "ratio"), "p.cbs")])
    'p.cbs AS cbs'
    """
    return ",\n  ".join(f"{expression} AS {column.name}" for column, expression in columns)
