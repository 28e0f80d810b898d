"""Images that records carry: files that a reader of images reads, the same for a seed."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from live.pulsar import sample_images

pytestmark = pytest.mark.unit


def pixels(file: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(file)) as image:
        image.load()
        assert (image.format, image.mode) == ("PNG", "RGB")
        return np.array(image)


def test_files_have_the_pixels_that_were_drawn() -> None:
    drawn = sample_images.drawn(320, 5)
    assert [pixels(file).shape for file in drawn] == [(240, 320, 3)] * sample_images.KINDS
    rng = np.random.default_rng(1)
    noise = rng.integers(0, 256, (7, 5, 3), dtype=np.uint8)
    assert np.array_equal(pixels(sample_images._png(noise)), noise)
    # Small, yet more than one colour: a resizing has something to do.
    assert all(1_000 < len(file) < 50_000 for file in drawn)
    assert all(len(np.unique(pixels(file).reshape(-1, 3), axis=0)) > 50 for file in drawn)


def test_images_follow_from_the_seed() -> None:
    assert sample_images.drawn(64, 5) == sample_images.drawn(64, 5)
    both = [*sample_images.drawn(64, 5), *sample_images.drawn(64, 6)]
    assert len(set(both)) == 2 * sample_images.KINDS


def test_the_narrowest_image_has_one_pixel() -> None:
    assert {pixels(file).shape for file in sample_images.drawn(1, 5)} == {(1, 1, 3)}
