"""What the reader should know about rates that were made of series."""

from __future__ import annotations

from collections.abc import Iterator

from pipeline.inputs.traces.moments import Writer
from pipeline.inputs.traces.rates.metric_names import Kind
from pipeline.inputs.traces.rates.sampled_series import Rates

_STILL = 1 / 3
_MOST_RESETS = 3


def of(series: int, partitions: int, sampled: Rates, kind: Kind, text: Writer) -> Iterator[str]:
    """Notes on replicas, times, resets and steps, in sentences.

    series, partitions: Number of series, and of the partitions that they are of.
    kind: What their samples are.
    text: Writes a time.
    """
    if series > partitions:
        what = "offset at each time" if kind is Kind.OFFSETS else "rate of each partition"
        yield (
            f"{series:,} series are replicas of {partitions:,} "
            f"partition{'s' * (partitions != 1)}; the highest {what} counts."
        )
    if sampled.is_aligned:
        yield "Series have times of their own; rates are means over steps of the usual length."
    if sampled.resets:
        listed = "; ".join(
            f"{text(reset.time)} ({reset.name})" for reset in sampled.resets[:_MOST_RESETS]
        )
        more = len(sampled.resets) - _MOST_RESETS
        rest = f" and {more:,} more" if more > 0 else ""
        yield (
            f"Offsets fall at {listed}{rest}. This counts as a reset "
            "to 0, as in Prometheus; remove the samples around it if the partition only lost data."
        )
    if kind is not Kind.RATES and sampled.still >= _STILL:
        yield (
            f"No offset moves in {sampled.still:.0%} of the steps. If the step of the query is "
            "shorter than the scrape interval, query with a step of one scrape interval or more."
        )
