"""The page docs/rebalance-table.md."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from algorithms.inference.intervals import Interval, median_interval
from tools.bench.rebalances import first_values
from tools.bench.rebalances.cells import (
    BATCH,
    CRASH,
    EVENTS,
    KIP_848,
    PROTOCOLS,
    REPEATS,
    SERVICE_S,
    TOTAL_RATE,
    Cell,
)
from tools.bench.rebalances.event_rows import SHIPPED, calm
from tools.bench.rebalances.first_values import (
    FEWEST,
    KEPT,
    LEAST_ROUNDS_S,
    MOVED,
    ROUND_S,
    TOLERANCE,
    TOLERANCE_S,
    Prediction,
)
from tools.bench.rebalances.member_host import MOST_MEMBERS

BUSY_LOAD = 3.0
"""Mean load above which a row is marked."""

Rows = Sequence[Mapping[str, Any]]

_HEAD = """# Rebalance times

`make bench-rebalances` wrote this page. It measures the rebalances of Kafka's own protocols with
confluent-kafka{client} (librdkafka): one member joins a group, closes its client, joins again, is
killed, over and over. The others have joined at random phases of their heartbeats, and each event
waits for a random phase. A cell is to have {repeats} events of each kind; one factor at a time
differs from the first cell of a protocol. Processes have up to {members} members, a thread each;
the one that comes and goes is alone in its process. Sessions are 6 s, or 3 s longer than a
heartbeat. All partitions of a topic together get {rate:g} records/s.

Each event is a row in `{shipped}`. A cell that has its events is not measured
again, on any machine; `ARGS="--minutes 0"` only writes this page, and with `--results FOLDER
--out FILE` a machine measures all by itself.

- **events** that count, of all: in the second before, each partition was read as steadily as its
  records come, within 0.1 s. Otherwise the machine was too busy.
- **detected**: from a `crash` until the broker removes the member. The next two begin then.
- **noticed**: from the event until another member is called back about its partitions.
- **settled**: from the event until the final owner of each partition has read from it.
- **moved**, **kept**: the longest time without a record of a partition that has another owner
  afterwards, and of one that has not. In the second before the event it was **before**.
- **rounds**: generations, or target assignments of KIP-848.
- **load**: mean load of the machine; `*` where above {busy:g}: then see *events* and
  *before* for whether the group had to wait.
- **interval**: least time between two assignments of a KIP-848 group
  (`consumer.assignment.interval.ms`, KIP-1263).
- With a **backlog**, a member polls {batch} records at most and takes {service:g} ms for each.

Times are medians in s with their 95 % interval, and 10 and 90 % of the events in parentheses.
Members and partitions are those with the member that comes and goes.
"""

_JUDGED = """## Compared with the simulator

The **model** is [the simulator's](autoscaling.md#the-model), with `rebalance_s` {round:g} and the
cell's heartbeat. **Drawn** differs in when members learn of an event: classic members at heartbeats
that they send in step, from a random time on, with {least:g} s between two rounds at least
(librdkafka's limit); KIP-848 members each at their own, and a member that joins at its second one.
The simulator does so with `heartbeats` `in_step` and `drawn`.
Both are medians, with 10 and 90 % where chance decides. A measured median **agrees** within
{tolerance:g} ms + {share:g} %. It is **open** if only its 95 % interval reaches that far, else it
**differs**. **round** is from the last revocation until all is settled. Classic members that fell
out of step stay so for the rest of a run, and events of one run share the members' phases: what
depends on them varies more than the intervals say. [What follows](decisions.md).

| cell | event | quantity | measured | model | | drawn | |
|---|---|---|---:|---:|---|---:|---|"""


def page(cells: Mapping[Cell, Rows]) -> str:
    """The page as Markdown.

    cells: All rows so far.
    """
    head = _HEAD.format(
        rate=TOTAL_RATE,
        client=_clients(cells.values()),
        repeats=REPEATS,
        shipped=SHIPPED,
        members=MOST_MEMBERS,
        busy=BUSY_LOAD,
        batch=BATCH,
        service=SERVICE_S * 1e3,
    )
    parts = [_part(protocol, cells) for protocol in PROTOCOLS]
    return "\n".join([head, *parts, *_verdicts(cells), ""])


def _clients(cells: Iterable[Rows]) -> str:
    versions = {row["client"] for rows in cells for row in rows}
    return f" {' and '.join(sorted(versions))}" if versions else ""


def _part(protocol: str, cells: Mapping[Cell, Rows]) -> str:
    own = {cell: rows for cell, rows in cells.items() if cell.protocol == protocol and rows}
    assignor = next(cell.assignor for cell in cells if cell.protocol == protocol)
    lines = [
        f"## {protocol} (`{assignor}`, librdkafka)",
        "",
        "| cell | client | event | events | detected | noticed | settled | moved | kept | before "
        "| rounds | load |",
        "|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for cell, rows in own.items():
        for event in EVENTS:
            lines += _row(cell, event, [row for row in rows if row["event"] == event])
    if not own:
        return f"{lines[0]}\n\nNot measured yet.\n"
    missing = [cell for cell in cells if cell.protocol == protocol and cell not in own]
    note = [f"Not measured yet: {'; '.join(map(_label, missing))}.", ""] if missing else []
    return "\n".join([*lines, "", *note])


def _row(cell: Cell, event: str, rows: Rows) -> Iterator[str]:
    timed = calm(cell, rows)
    if not timed:
        return
    load = float(np.mean([row["load"] for row in timed]))
    columns = (
        _label(cell),
        f"confluent-kafka{_clients([timed])}",
        event,
        f"{len(timed)} of {len(rows)}",
        _times([row["detected_s"] for row in timed if row["detected_s"] is not None]),
        _times(_since_detected(timed, event, "first_s")),
        _times(_since_detected(timed, event, "settled_s")),
        _times(first_values.values(timed, MOVED)),
        _times(first_values.values(timed, KEPT)),
        _seconds(float(np.median([row["control_s"] for row in timed]))),
        f"{np.median([row['rounds'] for row in timed]):g}",
        f"{load:.1f}{'*' if load > BUSY_LOAD else ''}",
    )
    yield f"| {' | '.join(columns)} |"


def _since_detected(rows: Rows, event: str, name: str) -> list[float]:
    """Times of events; those of crashes without the time until the broker removes the member."""
    if event != CRASH:
        return [row[name] for row in rows if row[name] is not None]
    return [
        row[name] - row["detected_s"]
        for row in rows
        if row[name] is not None and row["detected_s"] is not None
    ]


def _label(cell: Cell) -> str:
    interval = f", interval {cell.interval_s:g} s" if cell.protocol == KIP_848 else ""
    backlog = ", backlog" if cell.has_backlog else ""
    return (
        f"heartbeat {cell.heartbeat_s:g} s{interval}, {cell.members} members, "
        f"{cell.partitions} partitions{backlog}"
    )


def _times(values: Sequence[float]) -> str:
    if not values:
        return "–"
    middle, low, high = median_interval(values)
    text = _seconds(middle)
    if len(values) < FEWEST:
        return text
    tenth, most = np.quantile(values, (0.1, 0.9)).tolist()
    return f"{text} [{_seconds(low)}, {_seconds(high)}] ({_seconds(tenth)}–{_seconds(most)})"


def _seconds(value: float) -> str:
    return f"{value:.2f}"


def _verdicts(cells: Mapping[Cell, Rows]) -> Iterator[str]:
    yield _JUDGED.format(
        least=LEAST_ROUNDS_S, round=ROUND_S, tolerance=TOLERANCE_S * 1e3, share=TOLERANCE * 100
    )
    for cell, rows in cells.items():
        for row in first_values.judged(cell, calm(cell, rows)):
            middle, low, high = map(_seconds, row.measured)
            yield (
                f"| {cell.protocol}, {_label(cell)} | {row.event} | {row.quantity} "
                f"| {middle} [{low}, {high}] | {_predicted(row.model, row.measured)} "
                f"| {_predicted(row.drawn, row.measured)} |"
            )


def _predicted(prediction: Prediction, measured: Interval) -> str:
    text = _seconds(prediction.quantile(0.5))
    if prediction.uniform_s:
        ends = (_seconds(prediction.quantile(share)) for share in (0.1, 0.9))
        text += f" ({'–'.join(ends)})"
    return f"{text} | {first_values.verdict(prediction, measured)}"
