"""A made-up group whose offsets, members and lag are known at each time."""

from __future__ import annotations

from tests.pipeline.inputs.prometheus.fake_prometheus import Labels, Series, Value

BEGIN = 1_714_564_800
RATES = (100, 200, 50)
"""Events/s of the partitions."""

MU = 400
"""Events/s that the group reads while it has lag, of two members."""

STANDS = (1_800, 2_400)
"""The group is down between these times after `BEGIN`."""

BACK = STANDS[1] + (STANDS[1] - STANDS[0]) * sum(RATES) // (MU - sum(RATES))
"""When it has caught up, if nothing else happens."""


def series(topic: str = "orders", group: str = "billing", begin: int = BEGIN) -> list[Series]:
    """What kafka_exporter tells of it, from a time on."""
    found = [_one("kafka_consumergroup_members", {"consumergroup": group}, _members)]
    for number, rate in enumerate(RATES):
        labels = {"topic": topic, "partition": str(number)}
        for broker in ("1", "2"):
            where = {**labels, "instance": f"{broker}:9308", "job": "kafka"}
            found.append(_one("kafka_topic_partition_current_offset", where, _written(rate)))
        own = {**labels, "consumergroup": group}
        found.append(_one("kafka_consumergroup_current_offset", own, _read(rate)))
    return [Series(one.labels, _from(begin, one.value)) for one in found]


def _one(metric: str, labels: Labels, value: Value) -> Series:
    return Series({"__name__": metric, **labels}, value)


def _from(begin: int, value: Value) -> Value:
    return lambda at: value(at) if at >= begin else None


def _written(rate: int) -> Value:
    return lambda at: 1_000 + rate * (at - BEGIN)


def _read(rate: int) -> Value:
    """Offsets as the group reads: MU in all, shared as partitions are written."""

    def value(at: int) -> float:
        down, up = STANDS
        past = at - BEGIN
        if past >= down:
            past = min(past, down + max(0, past - up) * MU / sum(RATES))
        return 1_000 + int(rate * past)

    return value


def _members(at: int) -> float:
    return 0 if STANDS[0] <= at - BEGIN < STANDS[1] else 2
