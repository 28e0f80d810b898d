"""The objective as users write it."""

from __future__ import annotations

import pytest

from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.recommendation.service_objective import Objective, parse

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "objective", "allowed"),
    [
        ("99%@0.5s", Objective(99.0, 0.5), 0.01),
        (" 99.9%@250ms ", Objective(99.9, 0.25), 0.001),
        ("100%@30s", Objective(100.0, 30.0), 0.0),
        ("0.5%@1ms", Objective(0.5, 0.001), 0.995),
    ],
)
def test_share_and_latency(text: str, objective: Objective, allowed: float) -> None:
    parsed = parse(text)
    assert parsed == objective
    assert parsed.allowed == pytest.approx(allowed)
    assert parse(parsed.text) == objective


@pytest.mark.parametrize("text", ["", "99", "99%", "99@0.5s", "99%@0.5", "99%@-1s", "99%@1h",
                                  "nan%@1s", "99%@infs", "９９%@1s", "99%@1s\n1"])  # fmt: skip
def test_other_forms(text: str) -> None:
    with pytest.raises(InputError, match="`--slo`"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0%@1s", r"share of `--slo` must be above 0 and at most 100 % \(got 0 %\)"),
        ("100.1%@1s", r"at most 100 % \(got 100.1 %\)"),
        ("99%@0ms", r"latency of `--slo` must be above 0 and at most 86400 s \(got 0 ms\)"),
        ("99%@86401s", r"at most 86400 s \(got 86401 s\)"),
    ],
)
def test_out_of_bounds(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        parse(text)
