"""Settings of experiments with Pulsar Functions."""

from __future__ import annotations

import pytest

from algorithms.workloads.image_application import image_application
from live.pulsar.function_settings import IMAGE_WIDTHS, IMAGES, RECOGNISE, FunctionChoices

pytestmark = pytest.mark.unit


def test_only_records_of_the_papers_application_carry_images() -> None:
    assert FunctionChoices(graph=IMAGES).carried_width == 320
    assert FunctionChoices(graph=IMAGES, image_width=0).carried_width == 0
    assert FunctionChoices(graph=RECOGNISE).carried_width == 0


def test_what_reads_the_source_resizes() -> None:
    workload = image_application()
    assert set(IMAGE_WIDTHS) == {end for start, end in workload.edges if start in workload.sources}
