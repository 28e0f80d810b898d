"""The Spark session of these tests: that of the pipeline, shared by all tests of a process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark() -> SparkSession:
    """Give the process's session, with Delta."""
    from pipeline import session

    return session.get()
