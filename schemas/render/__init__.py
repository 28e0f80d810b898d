"""What a contract is turned into; nothing here needs Spark."""

from schemas.render.constraints import constraints
from schemas.render.dictionary import dictionary
from schemas.render.expectations import expectations, verdicts
from schemas.render.struct import ddl, definition, struct_json
from schemas.render.words import comment, table_comment

__all__ = [
    "comment",
    "constraints",
    "ddl",
    "definition",
    "dictionary",
    "expectations",
    "struct_json",
    "table_comment",
    "verdicts",
]
