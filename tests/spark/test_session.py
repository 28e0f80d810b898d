"""What nobody waits for any more can be ended."""

import threading
import time

import pytest

from pipeline import session

pytestmark = pytest.mark.spark


def test_jobs_of_a_task_that_took_too_long_are_ended(spark):
    context = spark.sparkContext
    ended = []

    def work():
        try:
            context.parallelize([0], 1).foreach(lambda _: time.sleep(300))
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    until = time.monotonic() + 60
    while not context.statusTracker().getActiveJobsIds() and time.monotonic() < until:
        time.sleep(0.05)
    session.cancel_jobs()
    thread.join(30)
    assert not thread.is_alive()
    assert "cancel" in str(ended[0]).lower()
    assert spark.range(3).count() == 3
