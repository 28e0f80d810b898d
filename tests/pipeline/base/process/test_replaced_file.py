"""Files that are replaced at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from pipeline.base.process import replaced_file

pytestmark = pytest.mark.unit


def test_the_file_is_the_old_one_until_all_is_written(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    replaced_file.write_json(file, {"port": 1})
    with replaced_file.replaced(file) as draft:
        draft.write_text("half", encoding="utf-8")
        assert json.loads(file.read_bytes()) == {"port": 1}
        assert draft.parent == tmp_path
    assert file.read_text(encoding="utf-8") == "half"
    assert list(tmp_path.iterdir()) == [file]


def test_what_fails_changes_nothing_and_leaves_nothing(tmp_path: Path) -> None:
    file = tmp_path / "state.json"
    replaced_file.write_text(file, "before")
    with pytest.raises(KeyboardInterrupt):
        _interrupted(file)
    assert file.read_text(encoding="utf-8") == "before"
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(TypeError):
        replaced_file.write_json(file, object())
    assert list(tmp_path.iterdir()) == [file]


def test_a_durable_file_is_on_disk_before_it_replaces_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "state.json"
    replaced_file.write_text(file, "before")
    synced: list[tuple[int, str]] = []

    def sync(descriptor: int) -> None:
        synced.append((os.fstat(descriptor).st_ino, file.read_text(encoding="utf-8")))

    monkeypatch.setattr(os, "fsync", sync)
    with replaced_file.replaced(file, is_durable=True) as draft:
        draft.write_text("after", encoding="utf-8")
    assert synced == [(file.stat().st_ino, "before"), (tmp_path.stat().st_ino, "after")]
    synced.clear()
    replaced_file.write_text(file, "any")
    assert not synced


def _interrupted(file: Path) -> None:
    with replaced_file.replaced(file) as draft:
        draft.write_text("half", encoding="utf-8")
        raise KeyboardInterrupt


def test_readers_of_a_kind_of_file_do_not_take_a_draft_for_one(tmp_path: Path) -> None:
    """Those that ask for ``*.json`` in a folder, while one is written there."""
    with replaced_file.replaced(tmp_path / "state.json") as draft:
        draft.touch()
        assert not [*tmp_path.glob("*.json")]


def test_text_is_utf_8_and_json_is_indented_if_asked(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    replaced_file.write_text(file, "δ")
    assert file.read_bytes() == b"\xce\xb4"
    replaced_file.write_json(file, {"a": [1]}, indent=1)
    assert file.read_text() == '{\n "a": [\n  1\n ]\n}'
