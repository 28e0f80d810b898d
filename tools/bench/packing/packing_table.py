"""The page docs/packing-table.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from algorithms.inference.intervals import mean_interval
from pipeline.experiments.streams.burst_steps import OFFSETS_S
from pipeline.inputs.traces.published_workloads import W1
from tools.bench.packing.instances import FACTOR, MU, SHARE, SPREAD, WSLA_S, Cell, Packed
from tools.bench.packing.packing_runs import GROUPS, SETTINGS, STEPS, STRATEGIES, Run

_HEAD = """# The least-loaded packing next to the fewest replicas

`make bench-packing` wrote this page. The fewest replicas are those of Eq. 5 of Ezzeddine 2024: each
has at most `mu f` events/s and `mu wsla_s f` events of lag, with `mu` {mu:g}, `wsla_s` {wsla:g} and
`f` {factor:g}; a partition above that is cut to it. Intervals are at 95 %, by bootstrap.
"""

_INSTANCES = """## Random partitions

Rates and lags are log-normal (standard deviation of the logarithms
{spread:g}) with a mean of {share:g} of what a replica may have; their logarithms have the
correlation of the row.

- **gap**: replicas of the least-loaded packing above the best packing that is known.
- **at most**: mean gap above the proved lower bound; the gap itself where all are proved.
- **equal**: share of the instances without a gap.
- **proved**: share of the instances whose optimum is known. The integer program has a limit of
  time, so that this depends on the machine.
"""

_RUNS = """
## Along a run

Generated workloads of {steps} s with bursts at the beginning of each second. `{second}` decides as
`{first}` does, with exact packings. Gaps are those of the packings at `f` {factor:g} by the rates
and lags that `{first}` saw. Five partitions with equal rates and lags have no gap by construction.
`{shape}` has the shape of the paper's first workload; decisions follow its bursts after
{offsets} or {last} s, elsewhere after {usual:g} s. Its intervals are over these times.
"""

_CELLS = (
    *("partitions", "correlation", "instances", "gap", "greatest", "at most", "equal", "proved"),
    *("median time", "longest"),
)
_FIRST, _SECOND = (f"`{name}`" for name in STRATEGIES)
_GROUPS = (
    *("partitions", "decisions", "with a gap", "greatest", f"in time, {_FIRST}"),
    *(f"{_SECOND} less {_FIRST}", f"replica-minutes, {_FIRST}", f"{_SECOND} less {_FIRST}"),
)


def page(instances: Sequence[Packed], runs: Sequence[Run]) -> str:
    """The page as Markdown."""
    cells = dict.fromkeys(each.cell for each in instances)
    rows = [[each for each in instances if each.cell == cell] for cell in cells]
    first, second = STRATEGIES
    return "\n".join(
        [
            _HEAD.format(mu=MU, wsla=WSLA_S, factor=FACTOR),
            _INSTANCES.format(spread=SPREAD, share=SHARE),
            *_header(_CELLS),
            *(_instances(cell, row) for cell, row in zip(cells, rows, strict=True)),
            _RUNS.format(
                steps=STEPS,
                first=first,
                second=second,
                factor=FACTOR,
                shape=W1.shape,
                offsets=", ".join(f"{each:g}" for each in OFFSETS_S[:-1]),
                last=f"{OFFSETS_S[-1]:g}",
                usual=SETTINGS["decision_offset_s"],
            ),
            *_header(_GROUPS),
            *_runs(runs),
            "",
        ]
    )


def _header(names: Sequence[str]) -> tuple[str, str]:
    return f"| {' | '.join(names)} |", "|---" + "|---:" * (len(names) - 1) + "|"


def _instances(cell: Cell, row: Sequence[Packed]) -> str:
    seconds = [each.seconds for each in row]
    values = (
        cell.partitions,
        f"{cell.correlation:g}",
        len(row),
        _mean([each.gap for each in row], 2),
        max(each.gap for each in row),
        f"{np.mean([each.most for each in row]):.2f}",
        f"{_mean([100.0 * (each.gap == 0) for each in row], 0)} %",
        f"{100.0 * np.mean([each.is_proved for each in row]):.0f} %",
        f"{1000.0 * np.median(seconds):.1f} ms",
        f"{max(seconds):.2f} s",
    )
    return f"| {' | '.join(map(str, values))} |"


def _runs(runs: Sequence[Run]) -> Iterator[str]:
    for group in GROUPS:
        rows = [each for each in runs if each.group == group]
        if not rows:
            continue
        decisions = sum(each.decisions for each in rows)
        values = (
            group,
            decisions,
            f"{100.0 * sum(each.unequal for each in rows) / decisions:.1f} %",
            max(each.greatest for each in rows),
            f"{np.mean([each.on_time[0] for each in rows]):.2f} %",
            _mean([each.on_time[1] - each.on_time[0] for each in rows], 2),
            f"{np.mean([each.minutes[0] for each in rows]):.2f}",
            _mean([each.minutes[1] - each.minutes[0] for each in rows], 2),
        )
        yield f"| {' | '.join(map(str, values))} |"


def _mean(values: Sequence[float], digits: int) -> str:
    mean, low, high = mean_interval(values)
    return f"{mean:.{digits}f} ({low:.{digits}f} to {high:.{digits}f})"
