"""The environment is complete or rebuilt, never in part."""

import shutil
from collections import namedtuple

import pytest

from tools.console import CommandFailed, SetupError
from tools.setup import packages, python

pytestmark = pytest.mark.unit

Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def made(layout, monkeypatch, program):
    """Names of what was done, in order; the environment is a stand-in."""
    done = []

    def venv(command, env, cwd, log):
        done.append("venv")
        program(layout.python, "exit 0")
        (layout.venv / "pyvenv.cfg").touch()

    monkeypatch.setattr(python, "logged", venv)
    monkeypatch.setattr(packages, "install", lambda layout: done.append("packages"))
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1e12, 0, 1e12))
    return done


def test_the_second_time_nothing_is_done(layout, made):
    python.ensure(layout)
    python.ensure(layout)
    assert made == ["venv", "packages"]
    assert python.is_ready(layout)


def test_changed_locks_are_installed_into_the_same_environment(layout, made):
    python.ensure(layout)
    (layout.requirements / "dev.txt").write_text("# nothing")
    assert not python.is_ready(layout)
    python.ensure(layout)
    assert made == ["venv", "packages", "packages"]


def test_settings_of_other_tools_change_nothing(layout, made):
    python.ensure(layout)
    with (layout.root / "pyproject.toml").open("a") as file:
        file.write("\n[tool.another]\nstrict = true\n")
    assert python.is_ready(layout)


def test_a_moved_repository_installs_again(layout, made):
    python.ensure(layout)
    moved = type(layout)(layout.root.with_name("moved"))
    layout.root.rename(moved.root)
    assert not python.is_ready(moved)


@pytest.mark.parametrize("error", [KeyboardInterrupt(), CommandFailed("no network", None)])
def test_an_interrupted_installation_starts_from_nothing(layout, made, monkeypatch, error):
    def fail(layout):
        (layout.venv / "half").touch()
        raise error

    install = packages.install
    monkeypatch.setattr(packages, "install", fail)
    with pytest.raises((KeyboardInterrupt, SetupError)):
        python.ensure(layout)
    assert not python.is_ready(layout)
    monkeypatch.setattr(packages, "install", install)
    python.ensure(layout)
    assert made == ["venv", "venv", "packages"]
    assert not (layout.venv / "half").exists()


def test_an_interrupted_upgrade_is_not_taken_for_complete(layout, made, monkeypatch):
    python.ensure(layout)
    (layout.requirements / "dev.txt").write_text("# nothing")

    def fail(layout):
        raise KeyboardInterrupt

    monkeypatch.setattr(packages, "install", fail)
    with pytest.raises(KeyboardInterrupt):
        python.ensure(layout)
    assert not python.is_ready(layout)
    assert not (layout.venv / ".complete").exists()


def test_an_environment_of_another_tool_is_replaced(layout, made, program):
    program(layout.python, "exit 0")
    (layout.venv / "pyvenv.cfg").write_text("version = 3.9.1")
    (layout.venv / "theirs").touch()
    python.ensure(layout)
    assert made == ["venv", "packages"]
    assert not (layout.venv / "theirs").exists()


def test_an_environment_whose_python_is_gone_is_replaced(layout, made):
    python.ensure(layout)
    layout.python.unlink()
    assert not python.is_ready(layout)
    python.ensure(layout)
    assert made == ["venv", "packages", "venv", "packages"]


def test_what_an_interrupted_removal_left_is_removed(layout, made):
    (layout.cache / "discarded").mkdir()
    python.ensure(layout)
    assert not (layout.cache / "discarded").exists()


def test_a_folder_of_the_user_is_left_alone(layout, made):
    layout.venv.mkdir()
    (layout.venv / "thesis.tex").touch()
    with pytest.raises(SetupError, match="not a virtual environment"):
        python.ensure(layout)
    assert (layout.venv / "thesis.tex").exists()
    assert made == []


def test_too_small_a_disk_is_said_before_anything_is_made(layout, made, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1e12, 1e12, 1.23e9))
    with pytest.raises(SetupError, match=r"needs 4 GB of free disk .*1\.2 GB"):
        python.ensure(layout)
    assert made == []


def test_a_disk_that_fills_up_is_said_as_such(layout, made, monkeypatch):
    def fail(layout):
        raise CommandFailed("cannot write: No space left on device (os error 28)", layout.logs)

    monkeypatch.setattr(packages, "install", fail)
    with pytest.raises(SetupError, match=r"disk of .* is full"):
        python.ensure(layout)
