"""What a Prometheus knows in a time: exporters, groups, topics, and the series to ask for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.base.errors import InputError
from pipeline.base.text.printable import printable
from pipeline.inputs.prometheus import exporters, promql
from pipeline.inputs.prometheus.api_client import ApiClient, Parameters
from pipeline.inputs.prometheus.exporters import Exporter, Source
from pipeline.inputs.prometheus.time_range import TimeRange
from pipeline.inputs.traces.rates import metric_labels, metric_names
from pipeline.inputs.traces.rates.metric_names import Kind

MAX_TOPICS = 50
"""Topics of an import: their names are in the address of each request."""

_MOST_NAMED = 20


class Question(NamedTuple):
    """What the user asks for."""

    group: str | None
    topics: tuple[str, ...]
    """Empty for all topics that the group reads."""
    metric: str | None
    """Metric of the written offsets or rates; None for the one of a known exporter."""
    labels: tuple[tuple[str, str], ...]
    """Further labels that series must have, such as ``cluster``."""


class GroupSeries(NamedTuple):
    """Queries that follow a group; empty where the exporter has no such metric."""

    exporter: Exporter
    committed: str
    lag: str
    members: str


class Queries(NamedTuple):
    """What is asked of each time of the range."""

    written: Source
    """End offsets, or what the user has named."""
    topics: tuple[str, ...]
    ends: str
    series: int
    """Number of series of `ends` at the end of the range; at least 1."""
    group: GroupSeries | None
    notes: tuple[str, ...]

    @property
    def queries(self) -> tuple[str, ...]:
        """All queries."""
        group = () if self.group is None else self.group[1:]
        return tuple(filter(None, (self.ends, *group)))


class KnownSeries:
    """Asks which series there are."""

    def __init__(self, api: ApiClient, question: Question, time: TimeRange) -> None:
        self._api, self._question, self._time = api, question, time
        self._within = {name: [value] for name, value in question.labels}

    def queries(self) -> Queries:
        """The queries of an import.

        Raises InputError if group, topic or metric are not there, or series are of several
            clusters.
        """
        asked, notes = self._question, []
        present = self._values("__name__", promql.any_of(exporters.ALL, self._within))
        written = self._written(present)
        source = exporters.of_groups(present) if asked.group else None
        topics = asked.topics
        if source is not None:
            self._check_known("--group", [str(asked.group)], source.exporter.group, source.metric)
            topics = topics or tuple(self._values(source.exporter.topic, self._of_group(source)))
        elif asked.group:
            notes.append("Prometheus has no metric of consumer groups, so the group is not shown.")
        if not topics:
            raise InputError("name topics with --topic, or a group that reads some with --group")
        if len(topics) > MAX_TOPICS:
            raise InputError(
                f"an import can have at most {MAX_TOPICS} topics (got {len(topics)}); name some "
                "with --topic"
            )
        self._check_known("--topic", topics, written.exporter.topic, written.metric)
        kept = {**self._within, written.exporter.topic: topics}
        series = promql.selector(written.metric, kept)
        self._check_one_cluster(series, written.exporter)
        by = (written.exporter.topic, written.exporter.partition)
        return Queries(
            written,
            topics,
            promql.greatest(series, *by),
            self._count(series, *by),
            None if source is None else self._group_series(source, topics, present),
            tuple(notes),
        )

    def _written(self, present: Sequence[str]) -> Source:
        """The metric of what is written."""
        name = self._question.metric
        if name is None:
            source = exporters.of_ends(present)
            if source is None:
                known = ", ".join(metric for one in exporters.EXPORTERS for metric in one.ends)
                raise InputError(
                    "Prometheus has no end offsets of a known exporter in this time, or none with "
                    f"each --label; name their metric with --metric (known are {known})"
                )
            return source
        kind = metric_names.meaning(promql.check_metric(name)).kind
        if kind in metric_names.REFUSED:
            raise InputError(f"--metric {name}: {metric_names.REFUSED[kind]}")
        exporter = next((one for one in exporters.EXPORTERS if name in one.ends), None)
        return Source(exporter or self._unknown(name), name)

    def _unknown(self, metric: str) -> Exporter:
        """An exporter of which only a metric is known: labels say topic and partition."""
        series = promql.selector(metric, self._within)
        labels = self._listed("labels", [("match[]", series)])
        if not labels:
            raise InputError(f"--metric {metric}: Prometheus has no such metric in this time")
        by_name = {label.lower(): label for label in labels}
        topic, partition = (
            next((by_name[name] for name in names if name in by_name), None)
            for names in (metric_labels.TOPIC, metric_labels.PARTITION)
        )
        if topic is None or partition is None:
            raise InputError(f"--metric {metric}: its series need labels of topic and partition")
        return Exporter("", (metric,), topic=topic, partition=partition)

    def _of_group(self, source: Source) -> str:
        group = {source.exporter.group: [str(self._question.group)]}
        return promql.selector(source.metric, {**self._within, **group})

    def _group_series(
        self, source: Source, topics: Sequence[str], present: Sequence[str]
    ) -> GroupSeries:
        exporter = source.exporter
        group = {**self._within, exporter.group: [str(self._question.group)]}
        of_topics = {**group, exporter.topic: topics}
        committed, lag = (
            promql.greatest(promql.selector(metric, of_topics), exporter.topic, exporter.partition)
            if metric in present
            else ""
            for metric in (exporter.committed, exporter.lag)
        )
        members = ""
        if exporter.members in present:
            members = promql.greatest(promql.selector(exporter.members, group))
        elif exporter.member and committed:
            members = promql.distinct(
                promql.selector(exporter.committed, of_topics), exporter.member
            )
        return GroupSeries(exporter, committed, "" if committed else lag, members)

    def _check_known(self, option: str, names: Sequence[str], label: str, metric: str) -> None:
        """Raise `InputError` with the names that exist, if one of these does not."""
        known = self._values(label, promql.selector(metric, self._within))
        name = next((one for one in names if one not in known), None)
        if name is None:
            return
        named = ", ".join(printable(one) for one in known[:_MOST_NAMED]) or "none"
        more = len(known) - _MOST_NAMED
        rest = f" and {more:,} more" if more > 0 else ""
        raise InputError(
            f"{option} {printable(name)}: {metric} does not have it in this time; it has "
            f"{named}{rest}"
        )

    def _check_one_cluster(self, series: str, exporter: Exporter) -> None:
        """Raise `InputError` if equal partitions are of different clusters.

        Labels say so that neither name a partition nor say where it was measured.
        """
        own = {"__name__", exporter.topic, exporter.partition}
        for label in self._listed("labels", [("match[]", series)]):
            if label in own or metric_labels.is_of_replica(label):
                continue
            values = self._values(label, series)
            if len(values) > 1:
                shown = ", ".join(map(printable, values[:_MOST_NAMED]))
                raise InputError(
                    f"series differ in the label {label} ({shown}), as those of several clusters "
                    f"do; choose one with --label {label}={printable(values[0])}"
                )

    def _count(self, series: str, *by: str) -> int:
        query = f"count({promql.greatest(series, *by)})"
        answer = self._api.answer("query", [("query", query), ("time", self._time.end)])
        try:
            return max(1, int(float(answer["data"]["result"][0]["value"][1])))
        except (KeyError, IndexError, TypeError, ValueError):
            return 1

    def _values(self, label: str, series: str) -> list[str]:
        return self._listed(f"label/{label}/values", [("match[]", series)])

    def _listed(self, path: str, matching: Parameters) -> list[str]:
        """Names that an answer lists, in order."""
        # The range ends with its last whole step; what is newer names series too.
        end = self._time.end + self._time.step
        time = [("start", self._time.start), ("end", end)]
        return sorted(_texts(self._api.answer(path, [*matching, *time]).get("data")))


def _texts(data: object) -> Iterator[str]:
    return (one for one in data if isinstance(one, str)) if isinstance(data, list) else iter(())


def has_offsets(source: Source) -> bool:
    """Whether a metric is one of end offsets, from which the group's lag follows."""
    return metric_names.meaning(source.metric).kind is Kind.OFFSETS
