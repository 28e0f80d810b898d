"""Functions and topics of an application, and its graph as Pulsar knows it."""

from __future__ import annotations

import pytest

from algorithms.simulation.application_graph import check_application
from live.pulsar.functions_admin import FunctionsAdmin
from live.pulsar.real_application import RealApplication, specs_of

pytestmark = pytest.mark.unit

IMAGES = check_application(
    {"store": {"mu": 50.0}, "shrink": {"mu": 20.0}, "recognise": {"mu": 2.0}},
    [("images", "store"), ("images", "shrink"), ("shrink", "recognise")],
    {"images": [(10.0, 1.0)]},
)


def test_functions_read_what_those_before_them_write() -> None:
    specs = {spec.name: spec for spec in specs_of(IMAGES, "r1-", 5)}
    assert specs["r1-store"].source == specs["r1-shrink"].source == "r1-images"
    assert specs["r1-recognise"].source == specs["r1-shrink"].output
    assert [spec.place for spec in specs.values()] == [0, 1, 2]


def test_the_graph_is_found_from_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    specs = {spec.name: spec for spec in specs_of(IMAGES, "r1-", 5)}

    def ends(self: FunctionsAdmin, name: str) -> tuple[list[str], str]:
        return [specs[name].source], specs[name].output

    monkeypatch.setattr(FunctionsAdmin, "ends", ends)

    class Pulsar:
        admin_url = "http://127.0.0.1:9/admin"

    real = RealApplication(Pulsar(), list(specs.values()), [1, 1, 1])  # type: ignore[arg-type]
    found = real.found(IMAGES)
    assert found.edges == IMAGES.edges
    assert found.paths == IMAGES.paths
