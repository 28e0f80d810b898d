"""First line of a CSV file, which determines its form."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice, takewhile
from pathlib import Path
from typing import NamedTuple, TextIO

from pipeline.base.errors import InputError
from pipeline.base.text import quoting
from pipeline.inputs.traces import file_head, files
from pipeline.inputs.traces.file_head import Head
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.formats import cell_texts
from pipeline.inputs.traces.formats.cell_texts import KNOWN
from pipeline.inputs.traces.model import check_name
from pipeline.inputs.traces.rates.long_table import OFFSETS, RATES

TIMES = ("timestamp", "iteration")
VALUES = {"rate": RATES, "offset": OFFSETS}
"""Columns of values, and what they hold."""

LONG_FORM = "timestamp (or iteration), topic (optional), partition, and rate or offset"
_FORMS = "'timestamp,partition,rate', 'timestamp,<partition>,<partition>,…' or 'timestamp,rate'"
_TOTAL = ("rate",)
_MOST_NOTES, _LONGEST_NOTE = 10, 400
_PER_LONGER = re.compile(
    r"(.*[^a-z])?per[ _-]?(min|minute|h|hr|hour|d|day)\W*|.*/ ?(min|minute|hr|hour|day)\W*|rpm",
    re.IGNORECASE,
)
_VALUE = re.compile(r"[-+0-9.][-+0-9.eE:TZ /]*")
# Names of a million partitions fit one line; no valid cell is longer than this.
csv.field_size_limit(1_000_000)


class Header(NamedTuple):
    """First line of a CSV file."""

    names: tuple[str, ...]
    """Names of the columns, without blanks around; those of `KNOWN` in lower case."""
    line: int
    """Number of the line that it ends in; 0 if the file has none."""

    @property
    def is_long(self) -> bool:
        """Whether each row holds one rate or offset of a partition."""
        return "partition" in self.names and self.value in self.names

    @property
    def value(self) -> str:
        """Column of the values in long form: ``rate``, or ``offset`` of a counter."""
        return "offset" if "offset" in self.names else "rate"

    @property
    def is_total(self) -> bool:
        """Whether each row holds the total rate of a topic."""
        return len(self.names) == 2 and self.names[1] in VALUES


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """Open a CSV file as text; text that is not UTF-8 raises `InputError` with its line."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file
    except UnicodeDecodeError as error:
        raise _not_utf8(path) from error
    except OSError as error:
        raise InputError(f"{path}: cannot read the file ({error.strerror})") from error


def _not_utf8(path: Path) -> InputError:
    """Find the line; the decoder only reports a position within its buffer."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                problem = files.not_utf8(path, line, error.start)
                return InputError(str(problem).replace(f"{path}:1:", f"{path}:{number}:"))
    return files.not_utf8(path, b"", 0)


def records(path: Path, file: TextIO) -> Iterator[tuple[int, list[str]]]:
    """Rows of a CSV file that are not empty, each with the number of the line it ends in."""
    reader = csv.reader(file, strict=True, skipinitialspace=True)
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise InputError(
                f"{path}:{reader.line_num}: not valid CSV "
                f"({quoting.kind(str(error)) or 'a comma must follow a closing quote at once'})"
            ) from None
        if row is None:
            return
        if row:
            yield reader.line_num, row


def read(path: Path) -> Header:
    """Read and check the header of a CSV file.

    Without a header, two columns are a time and a total rate.

    Raises InputError if there is none, or its names match neither form.
    """
    with opened(path) as file:
        rows = records(path, file)
        line, cells = next((row for row in rows if not _is_note(row[1])), (1, []))
        _refuse_other_tools(f"{path}:{line}", cells)
        _refuse_levels(f"{path}:{line}", cells, rows)
    names = tuple(map(cell_texts.column, cells))
    if _is_total_row(names):
        return Header(("timestamp", *_TOTAL), 0)
    header = Header(_numbered(f"{path}:{line}", names), line)
    _check(f"{path}:{line}", header.names)
    return header


def _is_note(cells: list[str]) -> bool:
    return cells[0].startswith(file_head.NOTE)


def notes(path: Path) -> tuple[str, ...]:
    """The notes above the header, of which some are enough."""
    with opened(path) as file:
        lines = takewhile(lambda line: line.startswith(file_head.NOTE), islice(file, _MOST_NOTES))
        return tuple(line[len(file_head.NOTE) : _LONGEST_NOTE].strip() for line in lines)


def is_long(head: Head) -> bool:
    """Whether a file has the header of long form."""
    return is_valid(head.path) and read(head.path).is_long


def is_valid(path: Path) -> bool:
    """Whether a file begins with a header that `read` accepts."""
    try:
        read(path)
    except InputError:
        return False
    return True


def _numbered(where: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of columns; in wide form, those of partitions follow the rule for long form."""
    if not names or names[0] not in TIMES:
        return names
    numbered = [names[0]]
    for place, name in enumerate(names[1:], start=2):
        try:
            numbered.append(cell_texts.partition(name))
        except ValueError as error:
            raise InputError(
                f"{where}: column {place:,} {error} (got {quoting.shown(name)}); {SEE}"
            ) from None
    return tuple(numbered)


def _refuse_other_tools(where: str, cells: list[str]) -> None:
    """Refuse headers of other tools, with what to do."""
    first = cells[0].strip() if cells else ""
    if first in ("#datatype", "#group", "#default"):
        raise InputError(
            f"{where}: is annotated CSV of InfluxDB; export without annotations, with columns "
            f"{nearest(())}; {SEE}"
        )
    if first.startswith("#"):
        raise InputError(
            f"{where}: lines that begin with # are not read; remove them, so that the first line "
            f"names the columns; {SEE}"
        )


def _refuse_levels(where: str, cells: list[str], rows: Iterator[tuple[int, list[str]]]) -> None:
    """Refuse a header over several lines, as pandas writes for columns with several levels."""
    first = cells[0].strip().lower() if cells else ""
    repeats = len({cell.strip() for cell in cells[1:]}) < len(cells) - 1
    if len(cells) < 2 or not (first in ("topic", "partition", "") or repeats):
        return
    try:
        _, second = next(rows, (0, []))
    except InputError:
        return
    if len(second) == len(cells) and second[0].strip().lower() in (*KNOWN, ""):
        raise InputError(
            f"{where}: the header has several lines, as pandas writes for columns with several "
            "levels; name each column topic/partition, such as with df.columns = "
            f"['/'.join(map(str, c)) for c in df.columns]; {SEE}"
        )


def _is_total_row(cells: tuple[str, ...]) -> bool:
    """Whether a first line is not a header, but a time and a total rate."""
    return len(cells) == 2 and all(map(_VALUE.fullmatch, cells))


def _check(where: str, names: tuple[str, ...]) -> None:
    if len(names) < 2 and any(mark in "".join(names) for mark in ";\t|"):
        columns = tuple(re.split(r"[;\t|]", "".join(names)))
        raise InputError(
            f"{where}: columns must be separated by commas, as in {nearest(columns)} (got one "
            f"column); {SEE}"
        )
    if names and not set(names) & KNOWN and _VALUE.fullmatch(names[0]):
        values = quoting.shown(",".join(names[:6]))
        raise InputError(
            f"{where}: the first line must name the columns (got the values {values}); add "
            f"{_FORMS}; {SEE}"
        )
    if "" in names:
        raise InputError(
            f"{where}: column {names.index('') + 1} has no name; name all columns, as in "
            f"{nearest(names)}; {SEE}"
        )
    _check_names(where, names)
    _check_units(where, names)
    _check_form(where, names)


def _check_names(where: str, names: tuple[str, ...]) -> None:
    first: dict[str, int] = {}
    for place, name in enumerate(names, start=1):
        check_name(where, len(name), f"the name of column {place:,}")
        if first.setdefault(name, place) != place:
            raise InputError(
                f"{where}: columns {first[name]:,} and {place:,} have the same name; rename one"
            )


def _check_units(where: str, names: tuple[str, ...]) -> None:
    """Refuse rates per minute: every rate is per second."""
    for place, name in enumerate(names, start=1):
        if _PER_LONGER.fullmatch(name):
            raise InputError(
                f"{where}: column {place:,} is not per second by its name; divide its values (by "
                f"60 if they are per minute), and name it rate; {SEE}"
            )


def _check_form(where: str, names: tuple[str, ...]) -> None:
    if len(names) == 2 and names[1] in VALUES and names[0] in TIMES:
        return
    times = [name for name in names if name in TIMES]
    long = {"partition", *VALUES} & set(names)
    if len(times) != 1 or (not long and names[0] not in TIMES):
        raise InputError(
            f"{where}: columns must be {nearest(names)}, the nearest form, with one column "
            f"timestamp or iteration (got {quoting.header(names, KNOWN)}); {SEE}"
        )
    if long:
        _check_long(where, names, long)
    elif len(names) == 1:
        raise InputError(f"{where}: columns must be {_FORMS} (got no partition); {SEE}")


def _check_long(where: str, names: tuple[str, ...], long: set[str]) -> None:
    got = ""
    if "partition" not in long:
        got = "no partition"
    elif len(long) != 2:
        got = "both" if len(long) > 2 else f"no rate{_hint(names)}"
    elif extra := sorted(set(names) - KNOWN):
        got = f"also {', '.join(map(quoting.named, extra))}"
    if got:
        raise InputError(f"{where}: columns must be {LONG_FORM} (got {got}); {SEE}")


def _hint(names: tuple[str, ...]) -> str:
    """What to do about a column that may hold the offsets of a group; empty without one."""
    plain = {name.lower().replace("-", "_") for name in names}
    if not plain & {"current_offset", "committed_offset", "position"}:
        return ""
    return "; what a group has committed is no rate of writing: add the end offset as offset"


def nearest(names: tuple[str, ...]) -> str:
    """The known form whose columns are most like those of a file."""
    text = ",".join(names).lower()
    if "offset" in text:
        return "'timestamp,topic,partition,offset'"
    if "partition" in text:
        return "'timestamp,topic,partition,rate'"
    if len(names) == 2 and "rate" in text:
        return "'timestamp,rate'"
    return "'timestamp,<partition>,<partition>,…'"
