"""Compilers of our own Java classes, and the folders of what they make."""

from __future__ import annotations

from pathlib import Path

import pytest

from live.kafka import java_classes
from pipeline.base import paths
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit

PURPOSE = "Pulsar's functions"


def test_a_java_without_a_compiler_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(
        InputError, match=r"need the compiler of a Java 17 or later .*install a JDK"
    ):
        java_classes.compiler_of(java, PURPOSE)


def test_the_compiler_beside_java_comes_first(tmp_path: Path) -> None:
    (tmp_path / "javac").touch()
    assert java_classes.compiler_of(tmp_path / "java", PURPOSE) == tmp_path / "javac"


def test_classes_are_made_once_and_again_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "home", lambda: tmp_path)
    source, calls = tmp_path / "A.java", list[Path]()

    def make(work: Path) -> None:
        calls.append(work)
        (work / "A.class").write_text("made")

    source.write_text("one")
    first = java_classes.compiled("things", [source], make)
    assert java_classes.compiled("things", [source], make) == first
    assert (first / "A.class").read_text() == "made"
    source.write_text("two")
    assert java_classes.compiled("things", [source], make) != first
    assert len(calls) == 2


def test_what_could_not_be_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "home", lambda: tmp_path)
    source = tmp_path / "A.java"
    source.touch()
    with pytest.raises(InputError, match=r"cannot compile things with false: exit status 1"):
        java_classes.compiled("things", [source], lambda _: java_classes.run("things", "false"))
    assert not list((tmp_path / ".cache" / "things").iterdir())
