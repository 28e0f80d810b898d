"""Programs of another Spark, Java or Python do not affect the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.base.process import own_environment
from pipeline.cli import start
from pipeline.warehouse.spark import jvm

pytestmark = pytest.mark.unit

OTHERS = {
    "SPARK_HOME": "/opt/other-spark",
    "SPARK_REMOTE": "sc://elsewhere",
    "PYSPARK_SUBMIT_ARGS": "--master yarn",
    "SPARK_CONF_DIR": "/opt/other-spark/conf",
}
PROBE = """
import json, os
from pipeline.cli import app
app.app = lambda **options: print(json.dumps(dict(os.environ)))
app.main()
"""


def test_variables_of_another_spark_are_removed() -> None:
    assert own_environment.foreign(OTHERS, local=True) == sorted(OTHERS, key=list(OTHERS).index)


def test_a_clusters_settings_stay() -> None:
    assert "SPARK_CONF_DIR" not in own_environment.foreign(OTHERS, local=False)


def test_the_command_line_runs_without_them(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROBE],
        env=os.environ | OTHERS,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not any(name in done.stdout for name in OTHERS)
    assert own_environment.SAFE_PATH in done.stdout


def test_packages_of_another_python_are_not_imported(tmp_path: Path) -> None:
    """`rich` of PYTHONPATH would end the program."""
    (tmp_path / "rich.py").write_text("raise SystemExit('foreign code ran')")
    (tmp_path / "secrets.py").write_text("raise SystemExit('foreign code ran')")
    program = "from pipeline.cli import start; start.main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "presets"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert start.FOREIGN == own_environment.PYTHON


def test_children_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "secrets.py").write_text("raise SystemExit('foreign code ran')")
    env = os.environ | {own_environment.SAFE_PATH: "1"}
    child = [sys.executable, "-m", "pipeline.cli.app", "--version"]
    done = subprocess.run(child, cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    assert done.stdout.startswith("groupscale ")


@pytest.mark.parametrize(
    ("release", "message"),
    [
        (None, "`JAVA_HOME` must contain bin/java"),
        ('JAVA_VERSION="11.0.2"\n', "`JAVA_HOME` must name a Java 17 or 21 .got Java 11"),
        ('JAVA_VERSION="1.8.0_392"\n', "got Java 8"),
    ],
)
def test_a_java_that_spark_does_not_support_is_named(
    release: str | None, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if release is not None:
        (tmp_path / "bin").mkdir()
        (tmp_path / "bin" / "java").touch()
        (tmp_path / "release").write_text(release)
    monkeypatch.setenv("GROUPSCALE_HOME", str(tmp_path / "without-set-up"))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(InputError, match=message):
        jvm.use_own_java()


def test_the_java_of_set_up_replaces_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".cache" / "java").mkdir(parents=True)
    monkeypatch.setenv("GROUPSCALE_HOME", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", "/opt/java-11")
    jvm.use_own_java()
    assert os.environ["JAVA_HOME"] == str(tmp_path / ".cache" / "java")
