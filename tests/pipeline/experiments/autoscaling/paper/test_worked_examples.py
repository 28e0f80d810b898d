"""KIP-169's example and the response time of one server."""

from __future__ import annotations

import pytest

from pipeline.experiments.autoscaling import published
from pipeline.experiments.autoscaling.paper.scaling_measures import PaperRun
from pipeline.reporting.sections import published_figure
from schemas.verdicts import EXACT, NOT_REPRODUCED

pytestmark = pytest.mark.unit


def test_the_examples() -> None:
    """All come out but round robin, which KIP-169 counts as range: it gives C0 p0 and p2."""
    figures = [one for one in published.figures(()) if one.place in ("Example", "Eq. 1-3")]
    rows = list(published_figure.rows(figures, PaperRun()))
    assert len({row["figure_key"] for row in rows}) == len(rows)
    assert [(row["its_strategy"], row["ours"], row["verdict"]) for row in rows] == [
        ("kip169", "C0: p0; C1: p1 p2", EXACT),
        ("kip169", "100000 / 110000", EXACT),
        ("range", "160000 / 50000", EXACT),
        ("roundrobin", "150000 / 60000", NOT_REPRODUCED),
        ("queueing", "5", EXACT),
    ]
