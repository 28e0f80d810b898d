"""What the process that forks Spark's Python workers says."""

from __future__ import annotations

import pytest

from pipeline.worker_daemon import say

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("error", "said"),
    [(BrokenPipeError(32, "gone"), ""), (ConnectionResetError(), ""), (ValueError("x"), "words\n")],
)
def test_an_end_of_spark_is_no_news(
    error: Exception, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        raise error
    except Exception:
        say("words")
    assert capsys.readouterr().err == said


def test_the_daemon_says_it_by_the_name_that_is_replaced() -> None:
    """Should PySpark find other means to print, `say` would do nothing."""
    from pyspark import daemon

    assert "print" in daemon.worker.__code__.co_names
