"""Only the owner can access databases, logs and secrets, with any umask."""

import os
import stat

import pytest

from pipeline.base import paths
from pipeline.warehouse.runs import scratch_folders
from tools.console import SetupError
from tools.services import private_folders
from tools.setup import all_steps

pytestmark = pytest.mark.unit


@pytest.fixture(params=[0o000, 0o022, 0o077])
def umask(request):
    before = os.umask(request.param)
    yield
    os.umask(before)


def mode(folder):
    return stat.S_IMODE(folder.stat().st_mode)


def test_new_folders_are_closed(layout, umask):
    private_folders.ensure(layout)
    assert {mode(folder) for folder in (layout.airflow, layout.mlflow, layout.logs)} == {0o700}


def test_folders_of_an_earlier_version_are_closed_by_the_next_command(layout, monkeypatch):
    monkeypatch.setattr(all_steps, "is_ready", lambda layout: True)
    inside = [layout.services / name for name in ("mlflow", "running")]
    for folder in (layout.airflow, layout.mlflow, layout.logs, layout.services, *inside):
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
    all_steps.ensure(layout)
    assert {mode(folder) for folder in (layout.airflow, layout.mlflow, layout.logs)} == {0o700}
    assert {mode(folder) for folder in inside} == {0o700}
    assert mode(layout.services) & 0o066 == 0


@pytest.mark.parametrize(("user", "expected"), [(0, 0o711), (1000, 0o700)])
def test_roots_services_let_the_databases_user_pass(layout, monkeypatch, umask, user, expected):
    private_folders.services(layout)
    (layout.services / "mlflow").mkdir(mode=0o755)
    asked = {}
    monkeypatch.setattr(os, "geteuid", lambda: user)
    monkeypatch.setattr(paths, "_owned", lambda folder, mode: asked.update({folder.name: mode}))
    monkeypatch.setattr(
        private_folders, "_close", lambda folder, mode: asked.update({folder.name: mode})
    )
    private_folders.services(layout)
    assert asked == {layout.state.name: expected, "services": expected, "mlflow": 0o700}


def test_a_live_run_leaves_the_state_folder_as_the_services_need_it(layout, monkeypatch):
    """Live runs, services and live runs again, in every order, give it the same mode."""
    monkeypatch.setenv("GROUPSCALE_STATE", str(layout.state))
    modes = set()
    for start in (scratch_folders, private_folders, scratch_folders, private_folders):
        if start is private_folders:
            private_folders.services(layout)
        else:
            with scratch_folders.new("run-"):
                pass
        modes.add(mode(layout.state))
    assert modes == {0o711 if os.geteuid() == 0 else 0o700}


def test_what_is_another_users_is_left_alone(layout, monkeypatch):
    databases = layout.services / "postgres"
    databases.mkdir(parents=True)
    databases.chmod(0o750)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    private_folders.ensure(layout)
    assert mode(databases) == 0o750


def test_a_folder_that_cannot_be_made_is_told(layout):
    layout.airflow.parent.mkdir(exist_ok=True)
    layout.airflow.touch()
    with pytest.raises(SetupError, match=r"cannot write to .*\.state: File exists"):
        all_steps.ensure(layout)
