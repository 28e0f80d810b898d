"""The file of a picture: what is refused, and that it is written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from pipeline.base.errors import InputError
from pipeline.experiments.autoscaling.simulation import plot_file
from pipeline.reporting.drawing.figure import compose

pytestmark = pytest.mark.unit


def test_what_cannot_be_drawn(tmp_path: Path) -> None:
    (tmp_path / "folder.svg").mkdir()
    for path, strategies, words in (
        (tmp_path / "a.svg", 7, "at most 6 strategies (got 7)"),
        (tmp_path / "a.pdf", 1, "must end in .svg or .png"),
        (tmp_path / "folder.svg", 1, "not a regular file"),
        (tmp_path / "none" / "a.svg", 1, "the folder does not exist"),
        (tmp_path / f"{'a' * 300}.svg", 1, "File name too long"),
    ):
        with pytest.raises(InputError) as caught:
            plot_file.check(path, strategies)
        assert words in str(caught.value)
    plot_file.check(tmp_path / "a.SVG", 6)
    plot_file.check(tmp_path / "a.png", 6)


def test_a_picture_replaces_an_older_one_or_leaves_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.svg"
    plot_file.write(file, b"old")
    plot_file.write(file, b"new")
    assert file.read_bytes() == b"new"
    whole = Path.write_bytes

    def full_disk(path: Path, data: bytes) -> int:
        whole(path, data[:1])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full_disk)
    with pytest.raises(InputError, match="No space left"):
        plot_file.write(file, b"newer")
    assert file.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.svg").symlink_to(tmp_path / "a.svg")
    plot_file.write(tmp_path / "link.svg", b"new")
    assert (tmp_path / "link.svg").is_symlink()
    assert (tmp_path / "a.svg").read_bytes() == b"new"


def test_the_name_says_in_which_form_a_picture_is_written(tmp_path: Path) -> None:
    picture = compose("a", 1, "A", "", "", lambda width: ([], 50.0)).standalone()
    plot_file.write(tmp_path / "a.svg", picture)
    plot_file.write(tmp_path / "a.PNG", picture)
    assert (tmp_path / "a.svg").read_bytes() == picture
    with Image.open(tmp_path / "a.PNG") as image:
        assert (image.format, image.size) == ("PNG", (2 * 760, 2 * 50))
