"""Queries for the rate at which a topic is written: the right one, or no result.

KEDA scales a group by them, and a rate that is too low would shrink it. Prometheus' ``rate`` is too
low where samples cover a part of its window, since it divides by the whole of it: in a gap, and
after an exporter's restart. It is too high after a decrease of an offset, which it takes for a
reset. A partition without a leader is missing in a sum, and two exporters double one.
"""

from __future__ import annotations

from pipeline.inputs.prometheus import promql
from pipeline.inputs.prometheus.exporters import EXPORTERS

BY_NAME = {each.name.lower(): each for each in EXPORTERS[:2]}
"""Exporters that have one counter per partition, by the name that options have."""

DEFAULT = next(iter(BY_NAME))


def rate(topic: str, partitions: int, exporter: str, window_s: float, scrape_s: float) -> str:
    """Query for the mean rate of a topic over a window.

    partitions: Number of partitions: with fewer of them there is no result.
    exporter: One of `BY_NAME`.
    window_s, scrape_s: Length of the window, and time between scrapes, seconds.

    A series counts if it has a sample in the last `scrape_s` of the window, and in the first: their
    difference is what ``rate`` extrapolates from if nothing is missing. `window_s` must be a
    multiple of `scrape_s`, so that as many scrapes are between them each time.
    """
    names = BY_NAME[exporter]
    ends = promql.selector(names.ends[0], {names.topic: [topic]})
    scrape, between_s = promql.duration(scrape_s), window_s - scrape_s
    written = (
        f"max by ({names.partition}) (\n"
        f"  last_over_time({ends}[{scrape}])\n"
        f"  - last_over_time({ends}[{scrape}] offset {promql.duration(between_s)})\n)"
    )
    return (
        f"sum({written}) / {between_s:g}\n"
        f"and on() (count({written}) >= {partitions})\n"
        f"unless on() (sum(resets({ends}[{promql.duration(window_s)}])) > 0)"
    )


def greatest(rate: str, hold_s: float, scrape_s: float) -> str:
    """Query for the greatest rate of the last `hold_s`: that of now if none was greater.

    There is no result where there is no rate now, however many there were before.
    """
    if hold_s <= scrape_s:
        return rate
    before = f"max_over_time((\n{rate}\n)[{promql.duration(hold_s)}:{promql.duration(scrape_s)}])"
    return f"{before}\n> (\n{rate}\n) or (\n{rate}\n)"
