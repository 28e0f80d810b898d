"""Pictures as PNG: the shapes, colours and texts of their SVG."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from pipeline.reporting.drawing import raster, svg
from pipeline.reporting.drawing.figure import compose

pytestmark = pytest.mark.unit

PAPER, BLUE, RED, INK = (255, 255, 255), (11, 92, 171), (184, 58, 0), (27, 31, 36)


def drawn(*parts: str) -> Image.Image:
    figure = compose("a", 1, "A & B", "", "", lambda width: (list(parts), 100.0))
    return Image.open(io.BytesIO(raster.png(figure.standalone()))).convert("RGB")


def at(image: Image.Image, x: float, y: float) -> object:
    """Colour of a place of the drawing."""
    return image.getpixel((round(raster.SCALE * x), round(raster.SCALE * y)))


def inked(image: Image.Image, *box: float) -> int:
    """Pixels of a box, in places of the drawing, that are not paper."""
    part = image.crop([round(raster.SCALE * side) for side in box])
    return int((np.asarray(part) != PAPER).any(axis=2).sum())


def test_shapes_have_the_colours_of_the_light_style() -> None:
    image = drawn(
        svg.polygon([(10, 10), (50, 10), (50, 50), (10, 50)], "f-blue"),
        svg.line(100, 30, 200, 30, "line strong s-red"),
        svg.polyline([(300, 20), (300, 60)], "line strong s-ink"),
        svg.stairs([(400, 20), (440, 20), (440, 60), (400, 60)], "area f-red", closed=True),
        svg.circle(600, 50, 10, "f-blue"),
    )
    assert at(image, 30, 30) == BLUE
    assert at(image, 150, 30) == RED
    assert at(image, 300, 40) == INK
    assert at(image, 600, 50) == BLUE
    assert at(image, 700, 50) == PAPER


def test_a_band_lets_through_what_is_below() -> None:
    square = [(10.0, 10.0), (50.0, 10.0), (50.0, 50.0), (10.0, 50.0)]
    image = drawn(svg.polygon(square, "band f-blue"))
    assert at(image, 30, 30) == pytest.approx(
        tuple(round(255 - 0.16 * (255 - part)) for part in BLUE), abs=1
    )


def test_later_shapes_are_above() -> None:
    square = [(10.0, 10.0), (50.0, 10.0), (50.0, 50.0), (10.0, 50.0)]
    image = drawn(svg.polygon(square, "f-blue"), svg.polygon(square, "f-red"))
    assert at(image, 30, 30) == RED


def test_broken_lines_have_gaps() -> None:
    whole, broken = (
        inked(drawn(svg.line(10, 30, 300, 30, f"line s-blue{css}")), 10, 25, 300, 35)
        for css in ("", " dashed")
    )
    assert 0.4 * whole < broken < 0.9 * whole


def test_texts_begin_or_end_where_they_are_anchored() -> None:
    image = drawn(svg.text(300, 50, "a $b$ <c>"), svg.text(300, 80, "left of it", anchor="end"))
    assert inked(image, 300, 40, 400, 55) > 100
    assert inked(image, 200, 40, 299, 55) == 0
    assert inked(image, 200, 70, 300, 85) > 100
    assert inked(image, 302, 70, 400, 85) == 0


def test_the_same_picture_is_the_same_file() -> None:
    figure = compose("a", 1, "A", "", "", lambda width: ([svg.text(9, 9, "a")], 20.0))
    assert raster.png(figure.standalone()) == raster.png(figure.standalone())
