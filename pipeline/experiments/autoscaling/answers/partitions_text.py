"""Which partitions decide the size of a group, and what more of them would change, as text."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.base.text.printable import printable
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation

MOST_NAMED = 4
"""Partitions, or numbers of replicas, that a sentence names."""


def deciding(recommendation: Recommendation) -> Iterator[str]:
    """Which partitions decide the size, and what splitting them would save."""
    splitting, labels = recommendation.splitting, recommendation.question.labels
    if splitting is None:
        return
    named = splitting.partitions[:MOST_NAMED]
    listed = "; ".join(
        f"{printable(labels[each.column] if labels else str(each.column))}, {each.peak:.2g} × --mu "
        f"at its peak and {each.share:.2g} × the mean share"
        for each in named
    )
    more = len(splitting.partitions) - len(named)
    rest = f"; and {more:,} more" if more else ""
    before, after = splitting.before, splitting.after
    if after is None or (before is not None and after >= before):
        saved = "Splitting them in two would save no constant replica"
    elif before is None:
        saved = f"In two parts each, {after:,} constant replicas would be enough"
    else:
        saved = f"In two parts each, {after:,} rather than {before:,} constant replicas would do"
    yield f"Partitions that decide the size: {listed}{rest}. {saved} on the recording."


def partitioning(recommendation: Recommendation) -> Iterator[str]:
    """What more partitions cannot help."""
    if not recommendation.changed:
        return
    yield (
        "With more partitions, keys move to others once: order per key and state break at the "
        "change."
    )
    if recommendation.one_key > 0.0:
        factor = recommendation.question.mu / recommendation.one_key
        yield (
            f"If what a partition gets above the median is a single key, no number of partitions "
            f"helps above {factor:.3g} × this load."
        )
