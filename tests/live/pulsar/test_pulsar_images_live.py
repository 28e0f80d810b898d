"""Images on a real Pulsar: both functions resize them, one stores them, one feeds `recognise`."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from algorithms.simulation.application_graph import check_application
from algorithms.workloads.image_application import image_application
from live.pulsar.function_settings import AT_LEAST_ONCE, IMAGE_WIDTHS, UNINTERRUPTIBLE
from live.pulsar.real_application import Work
from live.pulsar.scaled_application import ScaledRun
from live.pulsar.standalone import EXTENDED, Standalone
from pipeline.experiments.pulsar.evidence import application_evidence, service_times
from tests.live.pulsar import faulted_run

pytestmark = pytest.mark.live


def payloads(pulsar: Standalone, topic: str) -> list[bytes]:
    """What stands behind the text of a topic's records."""
    return [record.partition(b"\n")[2] for record in faulted_run.records(pulsar, topic)]


def test_images_are_resized_stored_and_recognised(tmp_path: Path) -> None:
    workload = image_application(0.1, [0.5], 8.0)
    work = Work(1, AT_LEAST_ONCE, UNINTERRUPTIBLE, 320)
    run = ScaledRun(check_application(*workload), False, 7, 4.0, 1.0, work, "constant", {}, [])
    folder = tmp_path / "images"
    with Standalone(tmp_path / "standalone", EXTENDED) as pulsar:
        faulted_run.run(pulsar, run, folder)
        topics = {name: payloads(pulsar, f"images-{name}-out") for name in workload.functions}
    evidence = application_evidence.read(folder)
    measured = service_times.measured(evidence, IMAGE_WIDTHS)
    print({name: f"{1e3 * one.mean_s:.1f} ms" for name, one in measured.items()})
    assert evidence.drained
    assert len(evidence.sent) == 40
    for name, width in IMAGE_WIDTHS.items():
        assert len(topics[name]) == 40
        assert len(set(topics[name])) > 10
        for file in topics[name]:
            with Image.open(io.BytesIO(file)) as image:
                image.load()
                assert (image.format, image.size) == ("JPEG", (width, width * 3 // 4))
        # Some work, and not what was drawn.
        assert 0.0001 < measured[name].mean_s < 1.0
    assert topics["recognise"] == [b""] * 40
