"""The contracts, one module per table with a constant ``TABLE``, in a folder of its family."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pkgutil import walk_packages

from schemas.table import Table, index


def _contracts() -> Iterator[Table]:
    for item in walk_packages(__path__, f"{__name__}."):
        table = getattr(import_module(item.name), "TABLE", None)
        if table is not None:
            yield table


TABLES: Mapping[str, Table] = index(*sorted(_contracts(), key=lambda table: table.name != "runs"))
"""Contract of each table by name; `runs` first, as published rows of the others follow from it."""
