"""Recorded traces of a run: parsed once, and then files in the run's folder.

A file is Parquet, in the iterations of the run: a row per partition with its name and a list of
rates, null where the partition is absent. Its name has the digest of the rates.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from pipeline.base.errors import StageError
from pipeline.inputs.traces.model import Trace, digest_of
from pipeline.warehouse.spark import arrow

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.settings.trace_source import TraceSource
    from pipeline.warehouse.runs.context import RunContext


def store(ctx: RunContext) -> None:
    """Write the traces of a run, in place of those of an earlier run of its id; free their memory.

    Raises InputError if a trace is not in memory, and its file has changed since the run was
        configured.
    """
    shutil.rmtree(_folder(ctx), ignore_errors=True)
    for source, file in _files(ctx):
        file.parent.mkdir(parents=True, exist_ok=True)
        _write(source.trace, file)
        source.forget()


def of_run(spark: SparkSession, ctx: RunContext) -> Mapping[str, Trace]:
    """The traces of a run by stream. Raises StageError if a file is missing or damaged."""
    return {source.stream_id: _read(file, source.digest) for source, file in _files(ctx)}


def _folder(ctx: RunContext) -> Path:
    return ctx.paths.state(ctx.run_id) / "traces"


def _files(ctx: RunContext) -> Iterator[tuple[TraceSource, Path]]:
    # Numbered, since traces of other partitions can have the same rates.
    for number, source in enumerate(ctx.config.traces, start=1):
        yield source, _folder(ctx) / f"{number}-{source.digest}.parquet"


def _write(trace: Trace, file: Path) -> None:
    rates = arrow.lists(trace.rates.T, np.isnan(trace.rates.T))
    about = {
        "name": trace.name,
        "is_total": trace.is_total,
        "unit": trace.unit,
        "started_at": None if trace.started_at is None else trace.started_at.isoformat(),
    }
    table = pa.table({"partition": pa.array(trace.partitions, pa.string()), "rates": rates})
    parquet.write_table(table.replace_schema_metadata({"trace": json.dumps(about)}), file)


def _read(file: Path, digest: str) -> Trace:
    try:
        table = parquet.read_table(file)
        about = json.loads(table.schema.metadata[b"trace"])
        values = table["rates"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        rates = np.ascontiguousarray(values.reshape(table.num_rows, -1).T)
        whole = digest_of(rates) == digest
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StageError(f"{file}: {error}; start the run again") from error
    if not whole:
        raise StageError(f"{file}: damaged; start the run again")
    started_at = about.pop("started_at")
    return Trace(
        partitions=tuple(table["partition"].to_pylist()),
        rates=rates,
        digest=digest,
        started_at=None if started_at is None else datetime.fromisoformat(started_at),
        **about,
    )
