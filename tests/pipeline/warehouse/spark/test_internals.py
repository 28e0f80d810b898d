"""Private interfaces are not used with versions that they were not tested with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import pytest

from pipeline.base.errors import StageError
from pipeline.base.process import tried_versions
from pipeline.warehouse.spark import internals

pytestmark = pytest.mark.unit


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    tried_versions.is_tried.cache_clear()
    yield
    tried_versions.is_tried.cache_clear()


@pytest.fixture
def unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tried_versions, "version", lambda package: "99.0")


def test_the_pinned_versions_are_known() -> None:
    assert all(internals.is_known(package) for package in internals.TRIED)
    assert "spark.python.daemon.module" in internals.worker_settings("kernels")


@pytest.mark.usefixtures("unknown")
def test_another_version_keeps_spark_as_it_is(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    assert internals.worker_settings("kernels") == {}
    spark: Any = MagicMock()
    internals.ignore_sigterm(spark)
    internals.forget_log(spark, "/a/table")
    assert not spark.mock_calls
    internals.end_jvm(spark)
    assert [call[0] for call in spark.mock_calls] == ["stop"]
    assert "pyspark 99.0" in caplog.text


@pytest.mark.usefixtures("unknown")
def test_a_server_that_could_not_notice_the_end_of_its_jvm_is_refused() -> None:
    with pytest.raises(StageError, match=r"pyspark 99\.0: .* only tried with 4\.1\.\*; install"):
        internals.wait_for_jvm()


def test_the_pinned_versions_use_the_interfaces() -> None:
    spark: Any = MagicMock()
    internals.ignore_sigterm(spark)
    internals.forget_log(spark, "/a/table")
    assert spark._jvm.sun.misc.Signal.handle.called
    assert spark._jvm.org.apache.spark.sql.delta.DeltaLog.invalidateCache.called


def test_no_other_module_knows_the_jvm() -> None:
    """None of these exists in a session of a Spark Connect server."""
    package = Path(internals.__file__).parents[2]
    pattern = re.compile(
        r"\b_jvm\b|\bsparkContext\b|\bpy4j\.|_jsparkSession|_jdf\b|\.rdd\b|_gateway\b"
    )
    files = {f.name for f in package.rglob("*.py") if pattern.search(f.read_text())}
    assert files == {"internals.py"}
