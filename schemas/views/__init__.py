"""Views over published runs, one module per view with a constant ``VIEW``."""

from collections.abc import Mapping

from schemas.module_constants import module_constants
from schemas.tables import TABLES
from schemas.view import View, index

VIEWS: Mapping[str, View] = index(TABLES, *module_constants(__path__, __name__, "VIEW"))
"""Contract of each view by name, in an order in which they can be made."""
