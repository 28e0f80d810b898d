"""Imports offsets from a Prometheus: page by page, into one file that `traces` reads."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import numpy as np

from pipeline.base import limits
from pipeline.base.errors import InputError, StageError
from pipeline.inputs.prometheus import known_series, range_answers, time_range
from pipeline.inputs.prometheus.api_client import ApiClient, Unavailable
from pipeline.inputs.prometheus.group_history import GroupHistory
from pipeline.inputs.prometheus.known_series import GroupSeries, KnownSeries, Queries, Question
from pipeline.inputs.prometheus.range_answers import Answer
from pipeline.inputs.prometheus.server_access import Server
from pipeline.inputs.prometheus.stored_pages import StoredPages
from pipeline.inputs.prometheus.time_range import TimeRange
from pipeline.inputs.traces.formats import answer_remarks

MOST_SAMPLES = 15_000_000
"""Samples of the end offsets: a file of 450 MB, below what JSON may have."""

Shows = Callable[[int, int], None]
"""Called with the number of stored pages, and of all pages."""


class Imported(NamedTuple):
    """What an import has brought besides the file."""

    queries: Queries
    notes: tuple[str, ...]
    group: GroupHistory | None


class PrometheusImport:
    """One import; repeated after an interruption, it goes on with the pages that are stored."""

    def __init__(
        self,
        server: Server,
        question: Question,
        time: TimeRange,
        pages: StoredPages,
        shows: Shows = lambda done, total: None,
        waits: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._question, self._time, self._pages, self._shows = question, time, pages, shows
        self._api = ApiClient(server, waits)

    def write(self, file: Path) -> Imported:
        """Fetch all pages, and write the end offsets to a file: answers of Prometheus as JSON.

        Raises InputError if group, topic, metric or address are wrong, or the import is too large.
        Raises StageError if Prometheus or the disk fails; pages stay for the next attempt.
        """
        with closing(self._api):
            queries = KnownSeries(self._api, self._question, self._time).queries()
            samples = queries.series * self._time.points
            if samples > MOST_SAMPLES:
                raise InputError(
                    f"an import can have at most {MOST_SAMPLES:,} samples (got {queries.series:,} "
                    f"partitions × {self._time.points:,} times = {samples:,}); choose a longer "
                    "--step, a shorter time or fewer topics"
                )
            pages = list(time_range.pages(self._time, queries.series))
            self._fetch(queries, pages)
            first = self._write(file, queries.ends, pages)
            group = queries.group
            history = None if group is None else self._history(queries, group, pages)
            return Imported(queries, (*queries.notes, *self._notes(queries, pages, first)), history)

    def _fetch(self, queries: Queries, pages: Sequence[TimeRange]) -> None:
        """Fetch the pages that are not there."""
        total = len(queries.queries) * len(pages)
        work = ((query, page) for page in pages for query in queries.queries)
        for done, (query, page) in enumerate(work):
            self._shows(done, total)
            if self._stored(query, page) is not None:
                continue
            try:
                answer = self._asked(query, page)
            except Unavailable as error:
                raise Unavailable(
                    f"{error}; {done:,} of {total:,} pages are kept in {self._pages.folder}: the "
                    "same command goes on from there"
                ) from error
            self._pages.store(query, page, answer)
        self._shows(total, total)

    def _asked(self, query: str, page: TimeRange) -> Answer:
        limits_of_page = [("start", page.start), ("end", page.end), ("step", page.step)]
        answer = self._api.answer("query_range", [("query", query), *limits_of_page])
        range_answers.check(answer, page)
        return answer

    def _stored(self, query: str, page: TimeRange) -> Answer | None:
        answer = self._pages.load(query, page)
        try:
            if answer is not None:
                range_answers.check(answer, page)
        except StageError:
            return None
        return answer

    def _answers(self, query: str, pages: Sequence[TimeRange]) -> Iterator[Answer]:
        """Stored answers, one in memory at a time."""
        for page in pages:
            answer = self._stored(query, page)
            if answer is None:
                raise StageError(
                    f"a page is missing in {self._pages.folder}, as if another import removed it; "
                    "repeat the command"
                )
            yield answer

    def _write(self, file: Path, query: str, pages: Sequence[TimeRange]) -> float | None:
        """Write the pages of a query that have series; returns the time of the first sample."""
        firsts: list[float] = []
        size = 0
        with file.open("w", encoding="ascii") as out:
            for answer in self._answers(query, pages):
                first = range_answers.first_time(answer)
                if first is None and not _remarks([answer]):
                    continue
                firsts += [] if first is None else [first]
                size += out.write(json.dumps(answer, separators=(",", ":")) + "\n")
        if not firsts:
            raise InputError(
                "Prometheus has no samples in this time; choose another --since or --until"
            )
        if size > limits.MAX_JSON_BYTES:
            raise InputError(
                f"an import can have at most {limits.MAX_JSON_BYTES:,} bytes (got {size:,}); "
                "choose a longer --step, a shorter time or fewer topics"
            )
        return min(firsts)

    def _notes(
        self, queries: Queries, pages: Sequence[TimeRange], first: float | None
    ) -> Iterator[str]:
        if first is not None and first > self._time.start + self._time.step:
            yield (
                f"Prometheus has data only from {_moment(first)} on, not from "
                f"{_moment(self._time.start)}."
            )
        answers = (answer for query in queries.queries for answer in self._answers(query, pages))
        yield from answer_remarks.notes(_remarks(answers))

    def _history(
        self, queries: Queries, group: GroupSeries, pages: Sequence[TimeRange]
    ) -> GroupHistory | None:
        """The group, if its lag follows from what is imported."""
        if not known_series.has_offsets(queries.written):
            return None
        source = group.committed or group.lag
        labels = (group.exporter.topic, group.exporter.partition)
        keys = {
            key
            for answer in self._answers(source, pages)
            for key in range_answers.labels_of(answer, *labels)
        }
        if not keys:
            return None
        columns = {key: place for place, key in enumerate(sorted(keys))}
        own = queries.written.exporter.topic, queries.written.exporter.partition
        ends = range_answers.values(self._answers(queries.ends, pages), self._time, columns, own)
        known = range_answers.values(self._answers(source, pages), self._time, columns, labels)
        members = None
        if group.members:
            alone = self._answers(group.members, pages)
            members = range_answers.values(alone, self._time, {(): 0}, ())[:, 0]
        return GroupHistory(
            str(self._question.group),
            tuple("/".join(key) for key in columns),
            self._time.start + self._time.step * np.arange(self._time.points, dtype=np.float64),
            ends,
            known if group.committed else ends - known,
            members,
        )


def _remarks(answers: Iterable[Answer]) -> tuple[str, ...]:
    return answer_remarks.of(answers, answer_remarks.WARNINGS, answer_remarks.INFOS)


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(int(seconds), UTC).isoformat().replace("+00:00", "Z")
