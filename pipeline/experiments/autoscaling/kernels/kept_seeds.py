"""Rows of seeds that are simulated already: a run that is repeated goes on with the others.

Each seed of an experiment has a file in the folder of the run's state, which appears whole.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from pipeline.base.process import replaced_file

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from pipeline.warehouse.runs.context import RunContext


def of_run(spark: SparkSession, ctx: RunContext) -> Path:
    """Folder of the run, which may not exist yet: another configuration or code has another one."""
    return ctx.paths.state(ctx.run_id) / "claims" / ctx.version


def rows(
    folder: Path, experiment: str, number: int, make: Callable[[], pa.RecordBatch]
) -> pa.RecordBatch:
    """The rows of a seed, made if there is no file of them.

    number: Of the seed.
    """
    file = folder / f"{experiment}-{number}.arrow"
    if file.exists():
        with pa.OSFile(str(file)) as source, pa.ipc.open_file(source) as kept:
            return kept.get_batch(0)
    made = make()
    folder.mkdir(parents=True, exist_ok=True)
    with (
        replaced_file.replaced(file) as draft,
        pa.OSFile(str(draft), "wb") as sink,
        pa.ipc.new_file(sink, made.schema) as writer,
    ):
        writer.write_batch(made)
    return made
