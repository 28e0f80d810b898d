"""What the scaler's image installs is what the scaler imports: it runs with nothing else."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.pipeline.cli.test_scaler_command import BROKER, file_in
from tests.pipeline.inputs.prometheus import certificates
from tests.tools.setup.test_declared_imports import OURS, declared, files_of, imports, owners
from tools.layout import here

pytestmark = [pytest.mark.unit, pytest.mark.slow]

ALONE = """
import atexit, json, sys

absent = set(json.loads(sys.argv.pop(1)))


class Others:
    "Finds no module of a package that the image does not have."

    def find_spec(self, name, path=None, target=None):
        if name in absent:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Others())
atexit.register(lambda: print(json.dumps([*sys.modules])))
from pipeline.cli.app import main
main()
"""


def copied() -> set[str]:
    """Folders of the code that the image has."""
    text = (here().root / "docker/scaler.Dockerfile").read_text()
    return set(re.findall(r"^COPY (\w+) ", text, re.MULTILINE))


def absent() -> set[str]:
    """Modules of packages and code that the image does not have."""
    pinned = declared("scaler.txt")
    others = {name for name, packages in owners().items() if not packages & pinned}
    return (others | OURS) - copied()


def started(folder: Path, text: str, *options: str) -> subprocess.Popen[str]:
    """A scaler that has no other modules."""
    words = [sys.executable, "-c", ALONE, json.dumps(sorted(absent())), "scaler", "--config"]
    environment = {**os.environ, "PYTHONPATH": str(here().root), "GROUPSCALE_HOME": str(folder)}
    return subprocess.Popen(
        [*words, str(file_in(folder, text)), *options],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Modules of a scaler that has served with gRPC and TLS."""
    folder = tmp_path_factory.mktemp("scaler")
    ca = certificates.authority(folder, "ca")
    certificates.certificate(folder, "own", "localhost", ca)
    text = f"tls: {{cert: own.pem, key: own.key}}\n{BROKER}"
    ports = [w for name in ("", "health-", "grpc-") for w in (f"--{name}listen", "127.0.0.1:0")]
    with started(folder, text, *ports) as process:
        assert process.stdout is not None
        line = json.loads(process.stdout.readline())
        assert "grpc" in line, process.communicate()[1]
        assert urllib.request.urlopen(f"http://{line['health']}/metrics", timeout=20).status == 200
        assert json.loads(process.stdout.readline())["what"] == "decision"
        process.terminate()
        *_, last = process.communicate(timeout=60)[0].splitlines()
        assert process.returncode == 0
    return set(json.loads(last))


needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is missing")


@needs_openssl
def test_it_serves_with_the_packages_of_its_image(loaded: set[str]) -> None:
    assert {"grpc", "confluent_kafka", "numpy"} <= loaded


@needs_openssl
def test_each_package_that_is_asked_for_is_imported(loaded: set[str]) -> None:
    """Directly, by a module that the process has loaded."""
    direct = {
        name.partition(".")[0]
        for place in copied()
        for file in files_of(place)
        if module_of(file) in loaded
        for name in imports(ast.parse(file.read_text()))
    }
    asked = declared("scaler.in")
    packages = {name: owners()[name] for name in direct & loaded if name in owners()}
    assert [name for name, by in packages.items() if name not in OURS and not by & asked] == []
    assert asked - set().union(*packages.values()) == set()


@needs_openssl
def test_no_code_is_copied_for_nothing(loaded: set[str]) -> None:
    assert {name.partition(".")[0] for name in loaded} & OURS == copied()


def test_a_replay_says_what_it_lacks(tmp_path: Path) -> None:
    with started(tmp_path, BROKER, "--replay", "rates.csv") as process:
        _, error = process.communicate(timeout=60)
    assert process.returncode == 2
    assert error.startswith("Error: `--replay` needs numba, which the scaler's image lacks; ")


def module_of(file: Path) -> str:
    parts = file.relative_to(here().root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
