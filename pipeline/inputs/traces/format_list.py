"""Forms of files: the list that decides how a file is read.

Each form is a module of `formats` and a line here. What follows, from the rows of a file to rates,
topics, notes and digests, knows no form.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_TRACE_BYTES
from pipeline.inputs.traces import file_head, files
from pipeline.inputs.traces.file_head import Head
from pipeline.inputs.traces.formats import (
    csv_header,
    foreign_files,
    grafana_csv,
    json_forms,
    offset_snapshots,
    promtool_text,
)
from pipeline.inputs.traces.rates.long_table import LongTable
from pipeline.inputs.traces.reading import Reading


class Format(NamedTuple):
    """A form of files."""

    module: str
    """Its module in `formats`, whose ``read(path, reading)`` returns a `LongTable`. It is imported
    when a file is read, since some import Arrow."""
    detect: Callable[[Head], bool]
    """Whether a file has this form."""

    def read(self, path: Path, reading: Reading) -> LongTable:
        """Read a file of this form. Raises InputError if invalid, or ``reading`` excludes it."""
        module = import_module(f"pipeline.inputs.traces.formats.{self.module}")
        table: LongTable = module.read(path, reading)
        stated = reading.values
        if table.kind is None:
            return replace(table, kind=stated)
        if stated not in (None, table.kind):
            raise InputError(
                f"{path}: --values {stated} does not apply to {table.form}, which has {table.kind}"
            )
        return table


FORMATS = (
    Format("parquet", lambda head: head.is_parquet or head.is_named(".parquet", ".pq")),
    Format("promtool_text", promtool_text.looks_like),
    Format("json_forms", json_forms.looks_like),
    Format("grafana_csv", grafana_csv.looks_like),
    Format("foreign_files", foreign_files.looks_like),
    Format("offset_snapshots", offset_snapshots.looks_like),
    Format("long_csv", csv_header.is_long),
    Format("wide_csv", lambda _: True),
)
"""The first one that a file has counts. `foreign_files` says why those of other tools are not read.
The last one takes every file: the header tells what is wrong."""


def read(path: Path, reading: Reading) -> LongTable:
    """Read a file of any form. Raises InputError if it is unreadable, or as `Format.read`."""
    files.check(path, MAX_TRACE_BYTES)
    head = file_head.of(path)
    form = next(form for form in FORMATS if form.detect(head))
    return form.read(path, reading)
