"""Columns of files in long form, as Arrow reads them: times, topics and partitions.

The columns are dictionaries, so each distinct text is parsed and checked once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_NAME
from pipeline.base.text.quoting import shown
from pipeline.inputs.traces import times
from pipeline.inputs.traces.formats import cell_texts
from pipeline.inputs.traces.formats.arrow_columns import codes, first, merged, numbers, row_of
from pipeline.inputs.traces.model import Times, check_name
from pipeline.inputs.traces.rates.long_table import Codes

Where = Callable[[int], str]
"""Returns the position of a row in the file, by its number from 0."""


def check_names(column: pa.ChunkedArray, what: str, where: Where) -> None:
    """Raise `InputError` if a text of a dictionary is too long; only checks distinct texts."""
    if not (pa.types.is_dictionary(column.type) and len(column)):
        return
    whole = column.combine_chunks()
    lengths = numbers(pc.utf8_length(whole.dictionary))
    if lengths.max(initial=0) > MAX_NAME:
        longest = int(lengths.argmax())
        check_name(where(row_of(whole, longest)), int(lengths[longest]), what)


def written_times(
    column: pa.DictionaryArray, name: str, where: Where, timestamps: str | None
) -> tuple[Codes, Times]:
    """Rank of each row's time, and the distinct times, of a column of texts."""
    texts = _texts(column, name, times.KINDS, where)
    try:
        ranks, moments = times.ranks(name, texts, timestamps)
    except times.TimeError as error:
        row = row_of(column, error.position)
        raise InputError(f"{where(row)}: {name} {error}") from error
    return np.array(ranks, dtype=np.int64)[codes(column)], moments


def partitions(
    partition: pa.DictionaryArray, topic: pa.DictionaryArray | None, where: Where
) -> tuple[Codes, list[str]]:
    """Index of each row's partition, and names: ``topic/partition`` if the file has topics."""
    of_partitions = _names(partition, "partition", where)
    if topic is None:
        return of_partitions
    return _by_topic(_names(topic, "topic", where), of_partitions)


def _names(column: pa.DictionaryArray, what: str, where: Where) -> tuple[Codes, list[str]]:
    """Index of each row's topic or partition, and the distinct names."""
    texts = _texts(column, what, "a name", where)
    if what == "partition":
        texts = [_partition(column, code, text, where) for code, text in enumerate(texts)]
    places, names = merged(texts)
    return places[codes(column)], names


def _texts(column: pa.DictionaryArray, name: str, expected: str, where: Where) -> list[str]:
    """Distinct texts of a column, without blanks around; none may be empty."""
    texts = [cell_texts.cleaned(str(text)) for text in column.dictionary.to_pylist()]
    row = first(pc.is_null(column))
    if row is None and "" in texts:
        row = row_of(column, texts.index(""))
    if row is not None:
        raise InputError(f"{where(row)}: {name} must be {expected} (got none)")
    return texts


def _partition(column: pa.DictionaryArray, code: int, text: str, where: Where) -> str:
    try:
        return cell_texts.partition(text)
    except ValueError as error:
        place = where(row_of(column, code))
        raise InputError(f"{place}: partition {error} (got {shown(text)})") from None


def _by_topic(
    topics: tuple[Codes, list[str]], partitions: tuple[Codes, list[str]]
) -> tuple[Codes, list[str]]:
    """Index of each row's partition, and names ``topic/partition``.

    topics, partitions: Index of each row's topic, or of the partition within it, and the names.
    """
    pairs = topics[0] * len(partitions[1]) + partitions[0]
    distinct, pair_of_row = np.unique(pairs, return_inverse=True)
    return pair_of_row, [
        f"{topics[1][pair // len(partitions[1])]}/{partitions[1][pair % len(partitions[1])]}"
        for pair in distinct.tolist()
    ]
