"""Files that are written completely or not at all."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from pipeline.base.errors import InputError, StageError
from pipeline.cli import whole_files

pytestmark = pytest.mark.unit

NAMES = ("a.yaml", "b.yaml", "c.properties")


def content(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in folder.iterdir()}


def test_a_new_folder_appears_with_all_files(tmp_path: Path) -> None:
    folder = tmp_path / "deploy"
    whole_files.check_folder(folder, NAMES, force=False)
    assert not folder.exists()
    whole_files.write_all(folder, {"a.yaml": "α\n", "b.yaml": "2\n"}, NAMES)
    assert content(folder) == {"a.yaml": "α\n", "b.yaml": "2\n"}
    assert [file.name for file in tmp_path.iterdir()] == ["deploy"]
    assert folder.stat().st_mode & 0o700 == 0o700


def test_files_of_others_stay_and_old_ones_go(tmp_path: Path) -> None:
    for name in ("mine.txt", "a.yaml", "b.yaml"):
        (tmp_path / name).write_text("old")
    whole_files.check_folder(tmp_path, NAMES, force=True)
    whole_files.write_all(tmp_path, {"a.yaml": "new", "c.properties": "new"}, NAMES)
    assert content(tmp_path) == {"mine.txt": "old", "a.yaml": "new", "c.properties": "new"}


def test_existing_files_are_refused(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("old")
    with pytest.raises(InputError, match=r"already has b.yaml; .* --force"):
        whole_files.check_folder(tmp_path, NAMES, force=False)
    whole_files.check_folder(tmp_path, ("a.yaml",), force=False)


def test_a_folder_must_be_possible(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InputError, match=r"`--output` must be a folder \(.*file is a file\)"):
        whole_files.check_folder(file, NAMES, force=True)
    with pytest.raises(InputError, match="none"):
        whole_files.check_folder(tmp_path / "none" / "deploy", NAMES, force=False)
    with pytest.raises(InputError, match="cannot write to /proc"):
        whole_files.check_folder(Path("/proc/deploy"), NAMES, force=False)


@pytest.mark.parametrize("is_new", [True, False])
def test_a_full_disk_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_new: bool
) -> None:
    folder = tmp_path / "deploy"
    if not is_new:
        folder.mkdir()
        (folder / "a.yaml").write_text("old")
    written = []

    def full(number: int) -> None:
        written.append(number)
        if len(written) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(StageError, match=r"cannot write to .*deploy \(No space left on device"):
        whole_files.write_all(folder, dict.fromkeys(NAMES, "new"), NAMES)
    assert [file.name for file in tmp_path.iterdir()] == ([] if is_new else ["deploy"])
    assert is_new or content(folder) == {"a.yaml": "old"}
