"""Functions and topics of an application, and its graph as Pulsar knows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from algorithms.simulation.application_graph import check_application
from live.pulsar import pulsar_login
from live.pulsar.functions_admin import FunctionFailed, FunctionsAdmin
from live.pulsar.real_application import RealApplication, Work, found, specs_of

pytestmark = pytest.mark.unit

WORK = Work(5, "atleast_once", "interruptible", 320)
IMAGES = check_application(
    {"store": {"mu": 50.0}, "shrink": {"mu": 20.0}, "recognise": {"mu": 2.0}},
    [("images", "store"), ("images", "shrink"), ("shrink", "recognise")],
    {"images": [(10.0, 1.0)]},
)


def test_functions_read_what_those_before_them_write() -> None:
    specs = {spec.name: spec for spec in specs_of(IMAGES, "r1-", WORK)}
    assert {(spec.receiver_queue, spec.hold) for spec in specs.values()} == {(5, "interruptible")}
    assert specs["r1-store"].source == specs["r1-shrink"].source == "r1-images"
    assert specs["r1-recognise"].source == specs["r1-shrink"].output
    assert [spec.place for spec in specs.values()] == [0, 1, 2]


def test_images_are_resized_for_storing_and_for_recognition() -> None:
    widths = {
        width: [spec.width for spec in specs_of(IMAGES, "", WORK._replace(image_width=width))]
        for width in (320, 0)
    }
    assert widths == {320: [160, 64, 0], 0: [0, 0, 0]}


def test_the_graph_is_found_from_topics(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    specs = {spec.name: spec for spec in specs_of(IMAGES, "r1-", WORK)}

    def ends(self: FunctionsAdmin, name: str) -> tuple[list[str], str]:
        return [specs[name].source], specs[name].output

    monkeypatch.setattr(FunctionsAdmin, "ends", ends)

    pulsar_login.write(tmp_path)
    admin = FunctionsAdmin("http://127.0.0.1:9/admin", pulsar_login.token_file(tmp_path))
    graph = found(admin, list(specs.values()), IMAGES)
    assert graph.edges == IMAGES.edges
    assert graph.paths == IMAGES.paths


def test_an_error_of_pulsar_at_the_end_does_not_hide_the_first_one(tmp_path: Path) -> None:
    pulsar_login.write(tmp_path)

    class Pulsar:
        admin_url = "http://127.0.0.1:9/admin"
        token_file = pulsar_login.token_file(tmp_path)

    with pytest.raises(FunctionFailed):
        RealApplication(Pulsar(), [], []).__exit__(None, None, None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="first"), RealApplication(Pulsar(), [], []):  # type: ignore[arg-type]
        raise ValueError("first")
