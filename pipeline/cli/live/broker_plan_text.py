"""A plan for brokers that are added or removed, as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from live.user_cluster.broker_plan import BrokerPlan
from pipeline.base.text.plain_table import plain_table
from pipeline.base.text.printable import printable
from pipeline.reporting.sections import numbers

if TYPE_CHECKING:
    from rich.table import Table

_COLUMNS = ("broker", "replicas", "→ plan", "leaders", "→ plan", "to copy")


def table(plan: BrokerPlan) -> Table:
    """Replicas and leaders of each broker, before and after."""
    rows = plain_table()
    for name in _COLUMNS:
        rows.add_column(name, justify="right")
    for line in plan.lines:
        counts = (*line.replicas, *line.leaders)
        rows.add_row(
            str(line.broker), *(f"{count:,}" for count in counts), numbers.volume(line.arriving)
        )
    return rows


def outcome(plan: BrokerPlan, file: Path | None, bootstrap: str) -> Iterator[str]:
    """What the plan costs, and what to do next."""
    if not plan.changes:
        yield "Replicas and leaders are balanced already: nothing moves."
        return
    costs = plan.measures
    yield (
        f"{_counted(costs.moves, 'replica')} to copy ({numbers.volume(costs.copied)}), "
        f"{_counted(costs.leader_changes, 'preferred leader')} to change."
    )
    yield f"No plan with this balance copies fewer; the balance alone takes {plan.bound:,}."
    for broker in plan.absent:
        yield f"Note: broker {broker} does not answer yet; start it before you execute the plan."
    if file is None:
        yield "Nothing was written; save the plan with -o plan.json."
        return
    at = f"--bootstrap-server {printable(bootstrap)}"
    yield f"Wrote {printable(str(file))}. Next, with Kafka's own tools:"
    reassign = f"kafka-reassign-partitions {at} --reassignment-json-file {printable(str(file))}"
    yield f"  {reassign} --execute"
    yield f"  {reassign} --verify"
    yield f"  kafka-leader-election {at} --election-type preferred --all-topic-partitions"


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
