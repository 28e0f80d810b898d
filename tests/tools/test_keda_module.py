"""What is compiled with KEDA's code is pinned, and KEDA's own texts are changed or refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.console import SetupError
from tools.keda import control_plane, keda_module, keda_program
from tools.layout import here

pytestmark = pytest.mark.unit

ADDED = here().root / "tools" / "keda"


def test_kubernetes_is_one_version() -> None:
    version = keda_module.required("k8s.io/kubernetes")
    replaced = re.findall(r"\t(\S+) => \1 v0\.(\S+)\n", (ADDED / "added.mod").read_text())
    assert len(replaced) > 1
    assert {of for _, of in replaced} == {version.removeprefix("v1.")}
    assert f"gitVersion={version}" in control_plane.PROGRAM.link
    with pytest.raises(ValueError, match=r"does not require k8s\.io/none"):
        keda_module.required("k8s.io/none")


def test_each_added_module_has_its_hashes() -> None:
    hashes = (ADDED / "added.sum").read_text()
    version = keda_module.required("k8s.io/kubernetes")
    for file in ("", "/go.mod"):
        assert re.search(rf"^k8s.io/kubernetes {version}{file} h1:\S{{44}}$", hashes, re.MULTILINE)


@pytest.mark.parametrize("program", [control_plane.PROGRAM, keda_program.PROGRAM])
def test_our_files_are_there(program: keda_module.Program) -> None:
    assert all((ADDED / name).is_file() for name in program.added)


def test_a_text_that_keda_does_not_have_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "main.go"
    file.write_text("a b a")
    keda_module.replaced(file, "a", "c")
    assert file.read_text() == "c b c"
    with pytest.raises(SetupError, match=r"main\.go of .* must have 'a'"):
        keda_module.replaced(file, "a", "c")
