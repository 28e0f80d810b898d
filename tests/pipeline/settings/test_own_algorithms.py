"""Own algorithms in a configuration: import, trial, permission in Airflow, and the record."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.base.process import import_path
from pipeline.settings import own_algorithms
from pipeline.settings.load import resolve
from pipeline.settings.run_config import RunConfig

pytestmark = pytest.mark.unit

ALONE = "import numpy as np\n\n\ndef assign(rates):\n"
ALONE += "    return np.where(np.isnan(rates), -1, np.arange(rates.size))\n"


@pytest.fixture
def name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """An algorithm of a package in the current folder, which is named on purpose."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    monkeypatch.setenv(import_path.FOLDERS, str(tmp_path))
    package = f"own_{abs(hash(tmp_path))}"
    (tmp_path / package).mkdir()
    (tmp_path / package / "packing.py").write_text(ALONE)
    return f"{package}.packing:assign"


def refusal(*sets: str, file: Path | None = None, modules: tuple[str, ...] | None = None) -> str:
    with pytest.raises(InputError) as caught:
        resolve("smoke", file, list(sets), [], modules)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_options_and_files_take_it(name: str, tmp_path: Path) -> None:
    by_option = resolve("smoke", None, [f"algorithms=BFD,{name}"], [])
    file = tmp_path / "c.yaml"
    file.write_text(f"preset: smoke\nalgorithms: [BFD, '{name}']\n")
    assert {one.algorithms for one in by_option.experiments} == {("BFD", name)}
    assert resolve(None, file, [], []) == by_option
    # Workers of Spark that this process starts import it too.
    assert os.environ[import_path.FOLDERS].split(os.pathsep)[-1] == str(tmp_path)
    assert sys.path[-1] == str(tmp_path)


def test_the_current_folder_is_searched_only_if_it_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(import_path.FOLDERS)
    setting = f"algorithms=BFD,{name}"
    assert "on the import path; name its folder, such as --import-path ." in refusal(setting)
    assert import_path.FOLDERS not in os.environ
    file = tmp_path / "c.yaml"
    file.write_text(f"preset: smoke\nimport_path: .\nalgorithms: [BFD, '{name}']\n")
    assert resolve(None, file, [], []) == resolve("smoke", None, ["import_path=.", setting], [])
    assert os.environ[import_path.FOLDERS] == str(tmp_path)


def test_a_folder_named_by_an_option(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(import_path.FOLDERS)
    own_algorithms.name_folders([Path()])
    assert resolve("smoke", None, [f"algorithms=BFD,{name}"], []).experiments
    for wrong in ("missing", "a:b", "a\0b"):
        with pytest.raises(InputError, match=r"^--import-path must be a folder that exists"):
            own_algorithms.name_folders([tmp_path / wrong])


@pytest.mark.parametrize(
    ("value", "words"),
    [("5", "must be a folder or a list"), ("missing", "must be a folder that exists")],
)
def test_what_is_no_folder_is_refused(value: str, words: str) -> None:
    assert refusal(f"import_path={value}").startswith(f"--set import_path={value}: `import_path` ")
    assert words in refusal(f"import_path={value}")


def test_who_starts_a_dag_run_cannot_name_folders() -> None:
    text = refusal("import_path=.", modules=("allowed",))
    assert "`import_path` cannot be set in Airflow" in text


def test_a_trace_takes_it(name: str, tmp_path: Path) -> None:
    trace = tmp_path / "t.csv"
    trace.write_text("iteration,partition,rate\n1,a,5\n1,b,6\n2,a,5\n2,b,7\n")
    (experiment,) = resolve(None, None, [f"algorithms=BFD,{name}"], [trace]).experiments
    assert experiment.algorithms == ("BFD", name)
    with pytest.raises(InputError, match="has no asign"):
        resolve(None, None, [f"algorithms=BFD,{name[:-6]}asign"], [trace])


def test_what_is_wrong_is_said_with_its_place(name: str, tmp_path: Path) -> None:
    wrong = name.replace("assign", "asign")
    assert refusal(f"algorithms=BFD,{wrong}") == (
        f"--set algorithms=BFD,{wrong}: `algorithms`: {wrong}: module {name[:-7]} has no asign; "
        f"choose {name}; see docs/own-algorithm.md"
    )
    file = tmp_path / "c.yaml"
    file.write_text("preset: smoke\nseed: 3\nalgorithms: no_such.module:assign\n")
    text = refusal(file=file)
    assert text.startswith(f"{file}:3: `algorithms`: ")
    assert "no module no_such on the import path" in text


def test_airflow_imports_allowed_modules_only(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark = tmp_path / "imported"
    module = tmp_path / name.partition(".")[0] / "packing.py"
    module.write_text(f"open({str(mark)!r}, 'w').close()\n{ALONE}")
    package = name.partition(".")[0]
    monkeypatch.setenv(own_algorithms.MODULES, f" {package}.other , {package[:-1]},")
    allowed = own_algorithms.allowed_in_airflow()
    text = refusal(f"algorithms=BFD,{name}", modules=allowed)
    assert f"Airflow may not import {package}.packing; add it to {own_algorithms.MODULES}" in text
    assert not mark.exists()
    for place in (package, f"{package}.packing"):
        assert resolve("smoke", None, [f"algorithms=BFD,{name}"], [], (place,)).experiments
    assert mark.exists()


def test_the_record_has_the_source(name: str, tmp_path: Path) -> None:
    config = resolve("smoke", None, [f"algorithms=BFD,{name}"], [])
    (version, digest), *rest = own_algorithms.digests(config).items()
    assert (version, rest) == (f"module {name[:-7]}", [])
    module = tmp_path / name.partition(".")[0] / "packing.py"
    module.write_text(f"{ALONE}\n")
    assert own_algorithms.digests(config)[version] != digest
    assert own_algorithms.digests(resolve("smoke", None, [], [])) == {}


def test_a_stored_configuration_imports_nothing(name: str, tmp_path: Path) -> None:
    """A report of last month is read where the module may be gone."""
    config = resolve("smoke", None, [f"algorithms=BFD,{name}"], [])
    gone = config.to_json().replace(name, "gone.module:assign")
    assert RunConfig.from_json(gone).experiments[0].algorithms == ("BFD", "gone.module:assign")


def test_the_code_of_a_run_includes_its_modules() -> None:
    """The gate expects equal values of equal code only."""
    own = {"code": "abc", "module b": "2", "module a": "1", "numpy": "2.0"}
    assert own_algorithms.code(own, "abc") == "abc 1 2"
    assert own_algorithms.code({"code": "abc"}, "abc") == "abc"
    assert own_algorithms.code(own, None) is None
    assert own_algorithms.code({"module b": "unknown"}, "abc") is None


@pytest.mark.parametrize("preset", ["autoscaling-smoke", "live-smoke"])
def test_other_families_do_not_take_it(name: str, preset: str) -> None:
    with pytest.raises(InputError, match="strateg"):
        resolve(preset, None, [f"strategies={name}"], [])
    assert name.partition(".")[0] not in sys.modules
