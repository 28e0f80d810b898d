"""The contracts, one module per table with a constant ``TABLE``, in a folder of its family."""

from collections.abc import Mapping

from schemas.module_constants import module_constants
from schemas.table import Table, index

_CONTRACTS = module_constants(__path__, __name__, "TABLE")

TABLES: Mapping[str, Table] = index(*sorted(_CONTRACTS, key=lambda table: table.name != "runs"))
"""Contract of each table by name; `runs` first, as published rows of the others follow from it."""
