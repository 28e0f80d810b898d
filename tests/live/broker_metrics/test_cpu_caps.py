"""Quotas in folders that stand for the system's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from live.broker_metrics import cpu_caps
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit

GONE = 2**22 + 1
"""No process has it: Linux numbers them up to 2 ** 22."""


@pytest.fixture
def first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system with version 1."""
    folder = tmp_path / "cpu" / "mine"
    folder.mkdir(parents=True)
    stated(tmp_path, monkeypatch, "4:cpu,cpuacct:/mine\n0::/\n", f"c {folder.parent} cgroup rw,cpu")
    return folder


@pytest.fixture
def second(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system with version 2."""
    folder = tmp_path / "unified"
    folder.mkdir()
    (folder / "cgroup.controllers").write_text("cpuset cpu io\n")
    stated(tmp_path, monkeypatch, "0::/\n", f"c {folder} cgroup2 rw")
    return folder


def stated(folder: Path, monkeypatch: pytest.MonkeyPatch, groups: str, mount: str) -> None:
    (folder / "self").write_text(groups)
    (folder / "mounts").write_text(f"{mount} 0 0\n")
    monkeypatch.setattr(cpu_caps, "SELF", folder / "self")
    monkeypatch.setattr(cpu_caps, "MOUNTS", folder / "mounts")


def contents(group: Path) -> dict[str, str]:
    return {file.name: file.read_text() for file in group.iterdir()}


def test_each_process_gets_a_group_with_a_quota(first: Path):
    with cpu_caps.capped({2: 200, 3: 300}, 0.2):
        two, three = (first / f"groupscale-{os.getpid()}-{number}" for number in (2, 3))
        assert contents(two) == {
            "cpu.cfs_period_us": "10000",
            "cpu.cfs_quota_us": "2000",
            "cgroup.procs": "200",
        }
        assert contents(three)["cgroup.procs"] == "300"
    assert (first / "cgroup.procs").read_text() == "300"  # moved back


def test_version_2_has_one_file(second: Path):
    with cpu_caps.capped({2: 200}, 0.15):
        own = contents(second / f"groupscale-{os.getpid()}-2")
        assert own == {"cpu.max": "1500 10000", "cgroup.procs": "200"}
        assert (second / "cgroup.subtree_control").read_text() == "+cpu"


@pytest.mark.parametrize(("number", "cores"), [(8, 0.2), (1, 1.6), (1, 0.0)])
def test_quotas_beyond_the_limit_are_refused(first: Path, number: int, cores: float):
    with (
        pytest.raises(InputError, match=r"`cores` must be above 0 and at most 1\.5 in all"),
        cpu_caps.capped(dict.fromkeys(range(number), 1), cores),
    ):
        pass
    assert not list(first.iterdir())


@pytest.mark.parametrize("groups", ["", "3:memory:/\n", "0::/\n"])
def test_systems_without_cgroups_are_refused(
    groups: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    stated(tmp_path, monkeypatch, groups, f"c {tmp_path} cgroup2 rw")
    with pytest.raises(InputError, match=r"cannot cap processors .*run as root on Linux"):
        cpu_caps.hierarchy()


def test_an_error_of_the_system_is_one_line(first: Path):
    (first / f"groupscale-{os.getpid()}-2").mkdir()
    with (
        pytest.raises(InputError, match=r"cannot cap processors \(.*File exists"),
        cpu_caps.capped({2: 200}, 0.2),
    ):
        pass


def test_groups_of_processes_that_are_gone_are_removed(tmp_path: Path):
    names = f"groupscale-{GONE}-2", f"groupscale-{os.getpid()}-2", "another"
    for name in names:
        (tmp_path / name).mkdir()
    cpu_caps.remove_leftovers(tmp_path)
    assert {folder.name for folder in tmp_path.iterdir()} == set(names[1:])


def test_caps_come_and_go_with_processes(first: Path):
    group = first / f"groupscale-{os.getpid()}-4"
    with cpu_caps.Caps(3, 0.2) as caps:
        caps.add({3: 300})
        caps.add({4: 400})
        assert contents(group)["cgroup.procs"] == "400"
        shutil.rmtree(group)  # the system removes files with the folder
        caps.lift([4, 9])
        assert (first / "cgroup.procs").read_text() == "400"
        # The number is used again.
        caps.add({4: 401})
        assert contents(group)["cgroup.procs"] == "401"
    assert (first / "cgroup.procs").read_text() == "401"
