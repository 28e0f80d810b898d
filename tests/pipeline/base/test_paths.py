"""Places, run ids, and whether the warehouse can be written."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

import algorithms
from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.base.paths import Paths

pytestmark = pytest.mark.unit


def refusal(warehouse: Path) -> str:
    with pytest.raises(InputError) as caught:
        Paths(warehouse).probe()
    return str(caught.value)


def tree(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def test_everything_of_a_run_is_in_the_warehouse(tmp_path: Path) -> None:
    place = Paths(tmp_path)
    assert place.table("scores") == str(tmp_path / "scores")
    for path in (place.state("r1"), place.report("r1")):
        assert path.is_relative_to(tmp_path)
        assert "r1" in path.parts
    assert place.report("r1").suffix == ".html"
    assert place.state("r1") != place.state("r2")
    assert place.report("r1").parent != place.report("r2").parent


def test_places_do_not_collide_with_tables(tmp_path: Path) -> None:
    import schemas

    place = Paths(tmp_path)
    tops = {path.relative_to(tmp_path).parts[0] for path in (place.state("r"), place.report("r"))}
    assert not tops & set(schemas.TABLES)


@pytest.mark.parametrize(
    ("folder", "place"),
    [
        ("file:///mnt/tables/", "/mnt/tables/runs"),
        ("file:/mnt/tables", "/mnt/tables/runs"),
        ("/mnt/tables", "/mnt/tables/runs"),
        ("s3a://bucket/tables/", "s3a://bucket/tables/runs"),
    ],
)
def test_a_folder_is_a_path_however_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, place: str
) -> None:
    """What has a scheme is taken for a store, where commits are not watched nor tables compared."""
    monkeypatch.setenv("GROUPSCALE_TABLES", folder)
    assert Paths(tmp_path).table("runs") == place


def test_no_run_id_is_the_name_of_the_lock_of_the_tables(tmp_path: Path) -> None:
    lock = Paths(tmp_path).tables_lock
    assert lock.parent == Paths(tmp_path).state("r").parent
    with pytest.raises(InputError):
        paths.check_run_id(lock.name)


def test_a_relative_warehouse_stays_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    place = Paths(Path("here"))
    monkeypatch.chdir("/")
    assert place.warehouse == tmp_path / "here"


@pytest.mark.parametrize("run_id", ["a", "0", "A.b_c-d", "x" * 64])
def test_run_ids(run_id: str) -> None:
    assert paths.check_run_id(run_id) == run_id


@pytest.mark.parametrize(
    "run_id", ["", ".a", "-a", "_a", "a b", "a/b", "../a", "a'b", "x" * 65, "ä", "a\n", "a\0"]
)
def test_other_run_ids_are_refused(tmp_path: Path, run_id: str) -> None:
    """They name folders and stand in SQL."""
    for refuse in (paths.check_run_id, Paths(tmp_path).state, Paths(tmp_path).report):
        with pytest.raises(InputError, match="`run_id`"):
            refuse(run_id)


def test_new_run_ids_differ_and_sort_by_time() -> None:
    run_ids = {paths.new_run_id() for _ in range(50)}
    assert len(run_ids) == 50
    assert all(len(run_id) == 23 and run_id[8] == "T" for run_id in run_ids)
    assert all(paths.check_run_id(run_id) == run_id for run_id in run_ids)


def test_the_title_of_a_run_id_is_the_time_when_it_was_made() -> None:
    assert paths.run_title("20260731T214500Z-3fa9c1") == "2026-07-31 21:45:00"
    for named in ("night-1", "20260731T214500Z-again", "20261331T214500Z-3fa9c1", "a", "-"):
        assert paths.run_title(named) == named


@pytest.mark.parametrize("name", ["there", "new", "new/deeply/nested"])
def test_trying_the_warehouse_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    (tmp_path / "there").mkdir()
    before = tree(tmp_path)
    Paths(tmp_path / name).probe()
    assert tree(tmp_path) == before


def test_a_warehouse_may_be_a_link_to_a_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    Paths(tmp_path / "link").probe()


def test_a_warehouse_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / "lost").symlink_to(tmp_path / "nowhere")
    for name in ("file", "file/below", "lost", "lost/below"):
        message = refusal(tmp_path / name)
        assert f"warehouse '{tmp_path / name}'" in message
        assert "is not a folder" in message
        assert "--warehouse" in message
    assert tree(tmp_path) == [tmp_path / "file", tmp_path / "lost"]


@pytest.mark.parametrize("place", ["/proc/warehouse", "/proc/self/warehouse", "/sys/warehouse"])
def test_places_that_not_even_root_can_write_are_refused(place: str) -> None:
    assert f"cannot write to the warehouse '{place}' (" in refusal(Path(place))


def test_a_device_is_no_folder() -> None:
    assert "/dev/null is not a folder" in refusal(Path("/dev/null/x"))


@pytest.mark.parametrize("name", ["x" * 256, "new/" + "x" * 256, "a\0b"])
def test_names_that_no_folder_can_have_are_refused(tmp_path: Path, name: str) -> None:
    assert "cannot write to" in refusal(tmp_path / name)
    assert tree(tmp_path) == []


def test_a_folder_without_permission_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() == 0:
        # Root may write everywhere: what the system would say to others has to be imitated.
        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(paths.tempfile, "TemporaryFile", refuse)
    tmp_path.chmod(0o500)
    try:
        assert "(Permission denied)" in refusal(tmp_path / "w")
    finally:
        tmp_path.chmod(0o700)


def test_a_full_disk_is_noticed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Creating a file works there, writing to it does not."""
    full = Path("/dev/full")
    monkeypatch.setattr(paths.tempfile, "TemporaryFile", lambda **_: full.open("wb", 0))
    assert "No space left" in refusal(tmp_path)


def test_the_environment_names_the_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GROUPSCALE_WAREHOUSE", "GROUPSCALE_NUMBA_CACHE", "MLFLOW_TRACKING_URI"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GROUPSCALE_HOME", str(tmp_path))
    assert paths.home() == tmp_path
    assert paths.warehouse() == tmp_path / "warehouse"
    for place in (paths.logs(), paths.numba_cache(), paths.jax_cache()):
        assert place.is_relative_to(tmp_path)
    assert paths.tracking_uri().startswith(f"sqlite:///{tmp_path}/")
    monkeypatch.setenv("GROUPSCALE_WAREHOUSE", "/elsewhere")
    monkeypatch.setenv("GROUPSCALE_NUMBA_CACHE", "/cache")
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:5000")
    assert paths.warehouse() == Path("/elsewhere")
    assert paths.numba_cache().parent == paths.jax_cache().parent == Path("/cache")
    assert paths.tracking_uri() == "http://127.0.0.1:5000"


def test_state_may_be_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUPSCALE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    monkeypatch.delenv("GROUPSCALE_STATE", raising=False)
    assert paths.logs() == tmp_path / "home" / ".state" / "logs"
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path / "state"))
    assert paths.logs() == tmp_path / "state" / "logs"
    assert paths.tracking_uri() == f"sqlite:///{tmp_path}/state/mlflow/mlflow.db"


def test_tables_may_be_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only tables: locks and reports are always local files."""
    place = paths.Paths(tmp_path)
    monkeypatch.delenv("GROUPSCALE_TABLES", raising=False)
    assert place.table("runs") == str(tmp_path / "runs")
    monkeypatch.setenv("GROUPSCALE_TABLES", "s3a://bench/groupscale/")
    assert place.table("runs") == "s3a://bench/groupscale/runs"
    assert place.state("r1").is_relative_to(tmp_path)
    assert place.report("r1").is_relative_to(tmp_path)


@pytest.mark.parametrize("file", ["bins.py", "repair/place.py"])
def test_compiled_code_of_other_sources_is_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str
) -> None:
    """Machine code of a kernel must not outlive a change of a function that it calls."""
    changed = tmp_path / "algorithms" / file
    changed.parent.mkdir(parents=True)
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "pipeline")
    caches = []
    for source in ("a = 1", "a = 2", "a = 1"):
        changed.write_text(source)
        caches.append(paths.numba_cache())
    assert caches[0] == caches[2] != caches[1]


@pytest.mark.parametrize("file", ["live/a.py", "live/java/A.java", "schemas/b/c.py"])
def test_each_source_counts_as_code(
    file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Committed or not: what older code has measured is not that of newer code."""
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "pipeline")
    (tmp_path / file).parent.mkdir(parents=True)
    seen = [paths.code_digest()]
    for text in ("1", "2", "1"):
        (tmp_path / file).write_text(text)
        seen.append(paths.code_digest())
    (tmp_path / file).with_suffix(".pyc").write_text("3")
    assert seen[1] == seen[3] == paths.code_digest()
    assert len(set(seen)) == 3


@pytest.mark.slow
def test_every_file_of_the_science_counts_for_compiled_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever in the package a kernel is kept."""
    real = Path(algorithms.__file__).parent
    shutil.copytree(real, tmp_path / "algorithms", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "pipeline")
    seen = {paths.numba_cache()}
    files = sorted((tmp_path / "algorithms").rglob("*.py"))
    for file in files:
        file.write_text(f"{file.read_text()}\n# changed\n")
        seen.add(paths.numba_cache())
    assert len(seen) == len(files) + 1


def test_a_process_takes_the_caches_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    """It neither overwrites them nor reads the files that their names are hashes of."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/kept")
    monkeypatch.delenv("JAX_COMPILATION_CACHE_DIR", raising=False)
    monkeypatch.setattr(paths, "_PACKAGE", None)
    paths.set_defaults()
    assert os.environ["NUMBA_CACHE_DIR"] == "/kept"
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == str(paths.jax_cache())


def test_trainings_compiled_for_another_processor_are_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its instructions may be unknown here."""
    here = paths.jax_cache()
    assert paths.jax_cache() == here
    monkeypatch.setattr(paths.platform, "machine", lambda: "other")
    assert paths.jax_cache() != here


def test_home_is_the_checkout_or_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GROUPSCALE_HOME", raising=False)
    monkeypatch.chdir(tmp_path)
    assert (paths.home() / "pyproject.toml").exists()
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "site-packages" / "pipeline")
    assert paths.home() == tmp_path


def test_defaults_are_put_into_the_environment_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_HOME", str(tmp_path))
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/mine")
    for name in ("MLFLOW_TRACKING_URI", "JAX_COMPILATION_CACHE_DIR"):
        monkeypatch.setenv(name, "placeholder")
        monkeypatch.delenv(name)
    paths.set_defaults()
    assert os.environ["NUMBA_CACHE_DIR"] == "/mine"
    assert os.environ["JAX_COMPILATION_CACHE_DIR"] == str(paths.jax_cache())
    assert os.environ["MLFLOW_TRACKING_URI"] == paths.tracking_uri()
    assert tree(tmp_path) == []
    paths.make_tracking_folder()
    assert Path(paths.tracking_uri().removeprefix("sqlite:///")).parent.is_dir()


def test_a_tracking_server_needs_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:5000")
    paths.make_tracking_folder()
    assert tree(tmp_path) == []


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_logs_and_databases_are_their_owners_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mask: int
) -> None:
    monkeypatch.setenv("GROUPSCALE_STATE", str(tmp_path / "state"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)
    before = os.umask(mask)
    try:
        paths.make_private(paths.logs())
        paths.make_tracking_folder()
    finally:
        os.umask(before)
    for folder in (paths.logs(), tmp_path / "state" / "mlflow"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        folder.chmod(0o755)
    # Those of earlier versions as well.
    paths.make_tracking_folder()
    assert stat.S_IMODE((tmp_path / "state" / "mlflow").stat().st_mode) == 0o700


def test_a_folder_that_the_user_chose_keeps_its_mode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o770)
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{shared}/mlflow.db")
    paths.make_tracking_folder()
    assert stat.S_IMODE(shared.stat().st_mode) == 0o770


def test_compiled_code_is_in_a_folder_that_only_its_owner_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numba reads it with pickle."""
    folder = tmp_path / "kernels"
    monkeypatch.setenv("GROUPSCALE_NUMBA_CACHE", str(folder))
    paths.make_cache()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    folder.chmod(0o777)
    paths.make_cache()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_only_empty_folders_of_compiled_code_go_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "home" / ".cache" / "numba"
    monkeypatch.setenv("GROUPSCALE_NUMBA_CACHE", str(folder))
    paths.drop_empty(paths.make_cache())
    assert list(tmp_path.iterdir()) == []
    made = paths.make_cache()
    (folder / "kernel.nbi").touch()
    paths.drop_empty(made)
    assert folder.is_dir()
    assert paths.make_cache() == []


def test_compiled_code_of_another_user_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUPSCALE_NUMBA_CACHE", str(tmp_path))
    tmp_path.chmod(0o777)
    # The folder belongs to root or to the user of the tests, neither of whom this is.
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    with pytest.raises(InputError, match=r"compiled code in .* could be another user's"):
        paths.make_cache()
