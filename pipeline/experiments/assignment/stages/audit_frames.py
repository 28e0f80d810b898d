"""Audit frames: counts that stand for the rows of tables too large to be checked row by row.

The rows of `measurements` and `assignments` are read once and reduced to counts per stream (and
algorithm), from the stored arrays alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.experiments.assignment.kernels.audit_kernel import AUDITS, NUMBERS, audit_assignments
from pipeline.experiments.assignment.stages import stream_blocks
from pipeline.experiments.assignment.stages.work_units import workloads
from pipeline.warehouse.runs.stage import Work
from pipeline.warehouse.spark.stream_tasks import mapped
from pipeline.warehouse.storage import measurement_audit, tables

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from pipeline.warehouse.runs.context import RunContext


def frame(spark: SparkSession, ctx: RunContext, table: str) -> DataFrame:
    """Return the audit frame of ``measurements`` or ``assignments`` for one run."""
    return {"measurements": _measurements, "assignments": _assignments}[table](spark, ctx)


def _measurements(spark: SparkSession, ctx: RunContext) -> DataFrame:
    return measurement_audit.frame(spark, ctx.paths, ctx.run_id)


def _assignments(spark: SparkSession, ctx: RunContext) -> DataFrame:
    work = Work(spark, ctx.config, ctx.config.units())
    frames = {name: tables.read(spark, name, ctx.paths, ctx.run_id) for name in _READ}
    pairs = stream_blocks.of_assignments(work, **frames, numbers=NUMBERS)
    return mapped(pairs, audit_assignments(workloads(ctx.config)), AUDITS)


_READ = ("streams", "measurements", "assignments")
