"""The published workloads are recognised by their rates, in any file that holds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipeline.inputs import traces
from pipeline.inputs.traces import published_workloads
from pipeline.inputs.traces.model import digest_of
from pipeline.inputs.traces.published_workloads import (
    W1,
    W2,
    WORKLOADS,
    PublishedWorkload,
    missing_text,
    of_shape,
    recognised,
)

pytestmark = pytest.mark.unit

TOTAL = np.array([0.25, 3.0, 17.5, 215.0])
INVENTED = PublishedWorkload("W9", "four samples", 4, digest_of(TOTAL), "steady", 0.0)


def test_digests_are_facts() -> None:
    """Of the authors' files at their commit 88a109d: another digest would recognise neither."""
    assert W1.digest == "e6177eac53766bdf8b9d645064e3d6588e87ae1b334c44e9cf53f3fa1610e31e"
    assert W2.digest == "dc06d86f3ebe85854d9d299b248e01e1ea796f2e57579d83a70c31cd0d63343f"
    assert [recognised(workload.digest) for workload in WORKLOADS] == [W1, W2]
    assert recognised(digest_of(TOTAL)) is None


@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_a_workload_is_recognised_in_any_file(
    start: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(published_workloads, "WORKLOADS", (INVENTED,))
    rows = [f"2022-09-05 16:34:{44 + k},all,{rate!r}" for k, rate in enumerate(TOTAL.tolist())]
    file = tmp_path / "renamed.csv"
    file.write_text(start + "\n".join(["timestamp,partition,rate", *rows]), encoding="utf-8")
    assert recognised(traces.load(file).digest) == INVENTED
    assert recognised(digest_of(TOTAL[:, np.newaxis])) == INVENTED
    assert recognised(digest_of(np.nextafter(TOTAL, np.inf))) is None


def test_generated_workloads_have_the_shape_of_one_each() -> None:
    """Other lengths and peaks have figures of their own."""
    assert of_shape("three_peaks", 600, 1.0, 350.0) == W1
    assert of_shape("taxi_days", 7207, 1.0, 368.0) == W2
    for other in (("three_peaks", 7207, 1.0, 350.0), ("taxi_days", 7207, 1.0, 350.0)):
        assert of_shape(*other) is None
    assert of_shape("taxi_days", 7207, 2.0, 368.0) is None
    assert of_shape("diurnal", 7207, 1.0, 368.0) is None


def test_the_message_names_the_missing_workloads_and_their_place() -> None:
    assert missing_text(WORKLOADS) == ""
    for text in (missing_text(), missing_text([W1])):
        assert published_workloads.ADDRESS in text
        assert "W2 (2 hours of taxi trips" in text
    assert "W1 (" in missing_text()
    assert "W1 (" not in missing_text([W1])
