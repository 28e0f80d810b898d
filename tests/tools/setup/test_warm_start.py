"""The small run at the end of set-up."""

from pathlib import Path

import pytest

from tools.console import CommandFailed, SetupError
from tools.setup import warm_start

pytestmark = pytest.mark.unit


@pytest.fixture
def runs(layout, monkeypatch):
    """Commands that set-up has run; each leaves an archive."""
    commands = []

    def logged(command, env, cwd, log):
        commands.append(command)
        Path(env["GROUPSCALE_RECORD_CLASSES"]).write_text("classes")

    monkeypatch.setattr(warm_start, "logged", logged)
    return commands


def test_it_runs_once_and_leaves_an_archive(layout, runs):
    assert not warm_start.is_ready(layout)
    warm_start.ensure(layout, {})
    warm_start.ensure(layout, {})
    assert len(runs) == 1
    assert layout.classes.read_text() == "classes"


def test_it_runs_again_for_other_packages(layout, runs):
    warm_start.ensure(layout, {})
    pins = layout.requirements / "requirements.in"
    pins.write_text(pins.read_text() + "\n# another")
    assert not warm_start.is_ready(layout)


def test_a_java_without_archives_is_no_error(layout, monkeypatch):
    monkeypatch.setattr(warm_start, "logged", lambda *_: "")
    warm_start.ensure(layout, {})
    assert warm_start.is_ready(layout)
    assert not layout.classes.exists()


def test_a_pipeline_that_does_not_run_is_an_error(layout, monkeypatch):
    def logged(command, env, cwd, log):
        raise CommandFailed("no heap", log)

    monkeypatch.setattr(warm_start, "logged", logged)
    with pytest.raises(SetupError, match="does not run here: no heap"):
        warm_start.ensure(layout, {})
    assert not warm_start.is_ready(layout)
