"""Contracts of the Delta tables, and what is rendered from them.

`TABLES` maps each table's name to its contract, in the order in which a run fills them. A
contract says what the columns mean, in which units and bounds, what null stands for, which
columns are the key and which rules hold. `schemas.render` turns it into Spark schemas, DDL,
Delta constraints, Great Expectations suites and the data dictionary. Only the standard
library is needed.

To add a table, write its module in `schemas.tables` and list it there.
"""

from schemas.column import Column
from schemas.errors import ContractError
from schemas.rule import Check, Rule
from schemas.table import Table
from schemas.tables import TABLES

__all__ = ["TABLES", "Check", "Column", "ContractError", "Rule", "Table"]
