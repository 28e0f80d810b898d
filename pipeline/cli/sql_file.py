"""A query's result as a file: Parquet with its types, CSV or JSON."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.base.errors import InputError
from pipeline.cli import sql_format, whole_files

if TYPE_CHECKING:
    from pipeline.warehouse.storage.sql import Answer

PARQUET = ".parquet"
ENDINGS = (PARQUET, ".csv", ".json")


def check(file: Path, style: str | None) -> None:
    """Raise `InputError` unless the file's name says its format, and no other one is given."""
    if file.suffix.lower() not in ENDINGS:
        raise InputError(
            f"`--output {file}`: the name must end in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}, "
            "which is the file's format"
        )
    if style is not None and f".{style}" != file.suffix.lower():
        raise InputError(
            f"`--format {style}` does not go with `--output {file}`; leave out --format"
        )


def write(answer: Answer, file: Path, force: bool) -> int:
    """Write a result, all of it or nothing; returns the number of rows.

    Raises InputError if the file exists and ``force`` is not given, its folder does not exist, or a
        column has a type that Parquet lacks.
    Raises StageError if the disk is full or the file cannot be written.
    """
    with whole_files.written(file, force) as place:
        if file.suffix.lower() == PARQUET:
            return _write_parquet(answer, place)
        style = file.suffix.lower().removeprefix(".")
        with place.open("w", encoding="utf-8", newline="") as out:
            sql_format.write(answer, style, out)
        return answer.rows_read


def _write_parquet(answer: Answer, place: Path) -> int:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    schema = answer.schema()
    try:
        with ParquetWriter(place, schema, compression="zstd") as writer:
            for batch in answer.batches([f"#{n}" for n in range(1, len(schema) + 1)]):
                writer.write_batch(batch.rename_columns(schema.names).cast(schema))
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid) as error:
        raise InputError(
            f"sql: Parquet lacks the type of a column ({error}); cast it, such as CAST(x AS "
            "VARCHAR), or write CSV"
        ) from error
    return answer.rows_read
