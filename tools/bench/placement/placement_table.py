"""The page docs/placement-table.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from algorithms.inference.intervals import mean_interval
from tools.bench.placement.scalings import (
    FEWEST,
    MOST,
    PARTITIONS,
    REPLICATIONS,
    SPREAD,
    STEPS,
    TOPICS,
    Scaling,
)

LEAST, TURNS, KAFKA = "fewest moves", "round robin", "Kafka's --generate"

_HEAD = """# Plans for brokers that are added and removed

`make bench-placement` wrote this page: {number:,} simulated scalings for each replication, of
{clusters} clusters one after the other, {steps} each. A cluster has {topics} topics of {partitions}
partitions and {fewest} to {most} brokers. Each scaling adds a broker or removes any one. All rules
get the same brokers, and each continues with its own placement.

- **{least}**: `algorithms/placement`, what [`live brokers plan`](brokers.md) does.
- **{turns}**: the rule of Giannakopoulos and Kalogeraki 2022; above one replica, our extension.
- **{kafka}**: `kafka-reassign-partitions` of Kafka 4.4.0 with all topics and the brokers after the
  scaling, run by its own classes. It draws at random, without a seed.

*Moves* are replicas that are copied, with their 95 % interval by bootstrap over clusters; *bytes*
their share of all bytes in the cluster (sizes of partitions are log-normal, standard deviation of
the logarithms {spread:g}). *Leaders* are preferred leaders that change. *Replicas* and *leaders
apart* are the broker with most minus the one with fewest, as mean over all scalings, and the
greatest. Balance drifts if they grow: *last ten* is the mean of each cluster's last ten scalings.
"""

_CELLS = (
    *("replication", "plan", "moves", "bytes", "leaders", "replicas apart", "greatest", "last ten"),
    *("leaders apart", "greatest", "last ten"),
)


def page(rows: Sequence[Scaling]) -> str:
    """The page as Markdown."""
    clusters = len({each.cluster for each in rows})
    head = _HEAD.format(
        number=clusters * STEPS,
        clusters=clusters,
        steps=STEPS,
        topics=TOPICS,
        partitions=PARTITIONS,
        fewest=FEWEST,
        most=MOST,
        least=LEAST,
        turns=TURNS,
        kafka=KAFKA,
        spread=SPREAD,
    )
    return "\n".join(
        [
            head,
            f"| {' | '.join(_CELLS)} |",
            "|---:|---" + "|---:" * (len(_CELLS) - 2) + "|",
            *_lines(rows),
            "",
        ]
    )


def _lines(rows: Sequence[Scaling]) -> Iterator[str]:
    for replication in REPLICATIONS:
        for rule in (LEAST, TURNS, KAFKA):
            ours = [each for each in rows if (each.replication, each.rule) == (replication, rule)]
            if ours:
                values = (replication, rule, _moves(ours), *_means(ours), *_apart(ours))
                yield f"| {' | '.join(map(str, values))} |"


def _moves(rows: Sequence[Scaling]) -> str:
    by_cluster: dict[int, list[int]] = {}
    for each in rows:
        by_cluster.setdefault(each.cluster, []).append(each.measures.moves)
    mean, low, high = mean_interval([float(np.mean(moves)) for moves in by_cluster.values()])
    return f"{mean:.1f} ({low:.1f} to {high:.1f})"


def _means(rows: Sequence[Scaling]) -> tuple[str, str]:
    share = 100.0 * np.mean([each.share for each in rows])
    leaders = np.mean([each.measures.leader_changes for each in rows])
    return f"{share:.1f} %", f"{leaders:.1f}"


def _apart(rows: Sequence[Scaling]) -> Iterator[str]:
    for spread in ("replica_spread", "leader_spread"):
        values = [getattr(each.measures, spread) for each in rows]
        last = [value for value, each in zip(values, rows, strict=True) if each.step >= STEPS - 10]
        yield from (f"{np.mean(values):.1f}", str(max(values)), f"{np.mean(last):.1f}")
