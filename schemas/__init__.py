"""Contracts of the Delta tables, and what is rendered from them.

`TABLES` maps each table's name to its contract, in the order in which a run fills them. A
contract defines the meaning, units and bounds of the columns, the meaning of null, the key and the
rules. `schemas.render` turns it into Spark schemas, DDL,
Delta constraints, Great Expectations suites and the data dictionary. Only the standard
library is needed. `VIEWS` has the views over published runs, whose queries Spark and DuckDB both
understand.

To add a table, write its module in `schemas.tables` and list it there; a view, in `schemas.views`.
"""

from schemas.column import Column
from schemas.contract_errors import ContractError
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables import TABLES
from schemas.view import View
from schemas.views import VIEWS

__all__ = ["TABLES", "VIEWS", "Check", "Column", "ContractError", "Rule", "Table", "View"]
