"""The process that starts the server's JVM: ``python -m pipeline.engine.connect_driver FILE``.

FILE holds Spark's settings. The server is a plugin of Spark here. Spark's own program for it gives
each session Python workers of its own: it takes seconds until their process has loaded the kernels,
and it stays, with its memory, until the server ends.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pipeline.warehouse.spark import internals

PLUGIN = "org.apache.spark.sql.connect.SparkConnectPlugin"


def main(file: Path) -> int:
    """Start Spark with the settings in a file, wait for the end of its JVM, return its status."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_SUBMIT_ARGS"] = f'--properties-file "{file}" pyspark-shell'
    SparkSession.builder.config("spark.plugins", PLUGIN).getOrCreate()
    return internals.wait_for_jvm()


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
