"""Which of Kafka's static assignments figures show."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.experiments.assignment.results import studies
from pipeline.experiments.assignment.results.studies import LatencyStudy

pytestmark = pytest.mark.unit


def shown(**consumers: float) -> list[str]:
    """Assignments shown of a study of algorithms with their mean consumers."""
    rows = pd.DataFrame(
        {"algorithm": list(consumers), "mean_consumers": list(map(float, consumers.values()))}
    )
    return studies.kafka_shown(LatencyStudy("trace", 0.0, rows, 1, ""))


def test_those_of_the_paper_are_shown_without_those_under_which_no_data_waits() -> None:
    sizes = {f"kd_{n}": n for n in (15, 24, 27, 30, 31, 32)}
    assert shown(MWF=15.1, **sizes) == ["kd_15", "kd_24", "kd_27", "kd_30"]
    assert shown(MWF=15.1, **sizes, kd_16=16) == ["kd_15", "kd_24", "kd_27", "kd_30"]
    assert shown(MWF=15.1, kd_31=31) == ["kd_31"]


def test_sizes_of_a_trace_begin_where_packing_algorithms_are() -> None:
    sizes = {f"kd_{n}": n for n in (5, 6, 7, 8, 9, 10, 11, 15, 30, 40)}
    assert shown(**sizes, SR_1=6.8, MWF=7.9) == ["kd_6", "kd_7", "kd_8", "kd_9"]
    # Fewer follow than are shown.
    assert shown(**sizes, MWF=28.0) == ["kd_11", "kd_15", "kd_30", "kd_40"]
    assert shown(**sizes) == ["kd_5", "kd_6", "kd_7", "kd_8"]


def test_few_are_all_shown() -> None:
    assert shown(kd_2=2, MWF=5.0, kd_9=9) == ["kd_2", "kd_9"]
    assert shown(MWF=5.0) == []
