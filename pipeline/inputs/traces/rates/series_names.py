"""Partitions of the series of metric tools, from their labels and the name of their metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.model import check_name
from pipeline.inputs.traces.rates import metric_labels, metric_names
from pipeline.inputs.traces.rates.long_table import Labels, LongTable
from pipeline.inputs.traces.rates.metric_names import Kind, Meaning


def of(table: LongTable) -> tuple[LongTable, str, Meaning | None]:
    """Name series by their labels; a single one without a partition is a total rate.

    Replicas of a partition, which get one name, differ only in labels such as ``instance``.

    Returns: the table with names, and name and meaning of the metric; no meaning without labels.
    Raises InputError if the labels do not name partitions, or no rate of writing follows from the
        metric.
    """
    if not table.labels:
        return table, "", None
    metrics = sorted({one.metric for one in table.labels})
    if len(metrics) > 1:
        raise InputError(
            f"{table.path}: must have one metric (got {len(metrics)}: "
            f"{', '.join(map(metric_labels.shown, metrics[:3]))}); query them one at a time; {SEE}"
        )
    meaning = _meaning(table.path, metrics[0], table.labels)
    labels = [one.labels for one in table.labels]
    if len(labels) == 1 and metric_labels.partition_of(labels[0]) is None:
        return replace(table, names=("total",), is_total=True), metrics[0], meaning
    names = [_name(table.path, own) for own in labels]
    _check_replicas(table.path, names, labels)
    return replace(table, names=names), metrics[0], meaning


def _meaning(path: Path, metric: str, labelled: Sequence[Labels]) -> Meaning:
    """What a metric is about, from its name and labels."""
    groups = [metric_labels.group_label(one.labels) for one in labelled]
    group = next((label for label in groups if label is not None), None)
    described = _described(metric, labelled)
    plain = metric_names.meaning(described)
    meaning = metric_names.meaning(described, group is not None)
    if meaning.kind not in metric_names.REFUSED:
        return meaning
    if plain.kind is not meaning.kind and group is not None:
        raise InputError(
            f"{path}: the series are about a consumer group (label {metric_labels.shown(group)}), "
            f"not about what is written; query the end offsets, max by (topic, partition) (…); "
            f"{SEE}"
        )
    raise InputError(f"{path}: {metric_names.REFUSED[meaning.kind]}; {SEE}")


def _described(metric: str, labelled: Sequence[Labels]) -> str:
    """A metric's name, with what the JMX exporter's default rules put into the label ``name``."""
    names = {one.labels.get("name", "") for one in labelled}
    kind = metric_names.meaning(metric).kind
    if not metric or len(names) > 1 or kind not in (Kind.UNKNOWN, Kind.COUNTS, Kind.RATES):
        return metric
    return f"{names.pop()}_{metric}"


def _name(path: Path, labels: Mapping[str, str]) -> str:
    name = metric_labels.partition_of(labels)
    if name is None:
        raise InputError(
            f"{path}: each series must have a label partition (got labels "
            f"{', '.join(map(metric_labels.shown, labels)) or 'none'}); query sum by (topic, "
            f"partition) (…); {SEE}"
        )
    check_name(str(path), len(name))
    return name


def _check_replicas(path: Path, names: Sequence[str], labels: Sequence[Mapping[str, str]]) -> None:
    """Raise `InputError` if series of a partition differ in more than where they were measured."""
    first: dict[str, Mapping[str, str]] = {}
    for name, own in zip(names, labels, strict=True):
        other = first.setdefault(name, own)
        for label in sorted(set(other) | set(own)):
            if other.get(label) != own.get(label) and not metric_labels.is_of_replica(label):
                raise InputError(
                    f"{path}: partition {named(name)} has several series that differ in "
                    f"{metric_labels.phrase(label)}; query max by (topic, partition) (…), or "
                    f"one value of the label; {SEE}"
                )
