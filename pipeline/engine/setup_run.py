"""A small run for set-up that creates compiled kernels and an archive of the JVM's classes.

``GROUPSCALE_RECORD_CLASSES`` names the archive; see `pipeline.warehouse.spark.jvm`.
"""

from __future__ import annotations

import tempfile
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

from pipeline.base import paths
from pipeline.engine import steps
from pipeline.experiments.family_list import FAMILIES, stages_of
from pipeline.settings.load import resolve
from pipeline.warehouse.spark import internals, session


def _compile_kernels(module: str) -> None:
    import_module(module).load()


def main() -> None:
    """Run all steps that use Spark, in a temporary warehouse."""
    paths.set_defaults()
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        # The small run needs the first family only; the others compile beside it.
        compiled = [pool.submit(_compile_kernels, family.kernels) for family in FAMILIES]
        compiled[0].result()
        _run()
        for family in compiled:
            family.result()


def _run() -> None:
    config = resolve("smoke", None, ["iterations=8"], [])
    with tempfile.TemporaryDirectory() as folder:
        ctx = steps.begin(config, Path(folder), "rehearsal", "set-up")
        for item in stages_of(config):
            if item.name != "track":
                steps.run_stage(item.name, ctx)
            for table in item.writes:
                steps.check(table, ctx)
        steps.conclude(ctx)
        internals.end_jvm(session.get())


if __name__ == "__main__":
    main()
