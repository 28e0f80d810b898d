"""Contracts of the Delta tables, and what is rendered from them.

`TABLES` maps each table's name to its contract: meaning, units and bounds of the columns, meaning
of null, key and rules. `schemas.render` turns a contract into a Spark schema, DDL, constraints of
Delta, a Great Expectations suite and a page of the data dictionary. Only the standard library is
needed.
`VIEWS` has the views over published runs, whose queries Spark and DuckDB both understand.

To add a table or a view, write its module in `schemas.tables` or `schemas.views`.
"""

from schemas.column import Column
from schemas.contract_errors import ContractError
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables import TABLES
from schemas.view import View
from schemas.views import VIEWS

__all__ = ["TABLES", "VIEWS", "Check", "Column", "ContractError", "Rule", "Table", "View"]
