"""What writes each table and what it is made from, as the stages declare it."""

from __future__ import annotations

from collections.abc import Mapping

from pipeline.experiments.family_list import STAGES
from schemas import TABLES
from schemas.render.dictionary import Lineage

_AROUND = {
    "runs": Lineage(("begin and end of a run",), ()),
    "baselines": Lineage(("groupscale promote",), ("runs",)),
}
"""Tables that no stage writes, except `validations`."""


def order() -> tuple[str, ...]:
    """All tables, in the order in which a run fills them."""
    written = dict.fromkeys(table for stage in STAGES for table in stage.writes)
    return (*_AROUND, *written, "validations")


def of_tables() -> Mapping[str, Lineage]:
    """Lineage of all tables, in their `order`."""
    names = order()
    lineage = {name: _AROUND.get(name) or _of(name, names) for name in names}
    checked = tuple(name for name in names if not TABLES[name].lasting and name != "validations")
    return lineage | {"validations": Lineage(("data quality checks",), checked)}


def _of(table: str, names: tuple[str, ...]) -> Lineage:
    stages = [stage for stage in STAGES if table in stage.writes]
    read = {name for stage in stages for item in stage.reads for name in item.tables}
    return Lineage(tuple(stage.name for stage in stages), tuple(n for n in names if n in read))
