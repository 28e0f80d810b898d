"""A metric: how terminal, report, MLflow, gate and views treat a column of a table.

The module of the table's contract has its metrics in constant ``METRICS``, in the order of display.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from schemas.table import Table

_SHOWN = {"ratio": ("%", 100.0), "%": ("%", 1.0), "s": ("s", 1.0)}
"""Display unit and factor by the unit of a column. Others are shown without a unit, as counts."""


@dataclass(frozen=True, slots=True)
class Metric:
    """One number per experiment, δ and algorithm (or strategy), over the streams."""

    name: str
    """Unique. Column of the family's view, and name in `differences` and `history`."""
    table: str
    column: str
    """`table`, `column`: location of the values per stream."""
    title: str
    """Display title."""
    head: str
    """Short column head, with its unit."""
    unit: str
    decimals: int | None
    """Digits after the decimal point; None for seconds, which have as many as needed."""
    averaging: Literal["mean", "median", "total", "maximum"]
    """How values of streams are combined: a percentile may be infinite on some streams, so
    latencies use the median."""
    tracked: str
    """Name in MLflow."""
    factor: float = 1.0
    """`unit`, `factor`: display unit, and the factor that converts stored values to it."""
    better: Literal["lower", "higher"] = "lower"
    """Which values are better."""
    interval: bool = False
    """Whether the table in `FRONTS` has an interval for it."""
    gated: bool = False
    """Whether the regression gate compares it."""
    followed: bool = True
    """Whether view `history` includes it."""

    @property
    def short(self) -> str:
        """The title up to its first colon."""
        return self.title.partition(":")[0]


def metric_of(
    table: Table, column: str, title: str, head: str, decimals: int | None = None, **others: Any
) -> Metric:
    """Metric of a column, a mean unless ``others`` has another ``averaging``.

    head: Without a unit that follows from the column's.
    others: Fields of `Metric` that do not follow from the column.
    Raises ContractError if the table has no such column.
    """
    unit, factor = _SHOWN.get(table.column(column).unit, ("", 1.0))
    fields = {"name": column, "unit": unit, "factor": factor, "averaging": "mean", **others}
    return Metric(
        table=table.name,
        column=column,
        title=title,
        head=f"{head} {unit}".rstrip(),
        decimals=decimals,
        **{"tracked": fields["name"], **fields},
    )


def gated(averaging: str, among: Iterable[Metric]) -> tuple[str, ...]:
    """Names of the metrics that the gate compares, of one way of averaging."""
    return tuple(item.name for item in among if item.gated and item.averaging == averaging)
