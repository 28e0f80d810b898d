"""KEDA's module, fetched and copied, in which our programs are compiled with its own code.

There, KEDA's own list of dependencies and their hashes hold. `added.mod` and `added.sum` have what
Kubernetes needs besides.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from tools.console import CommandFailed, SetupError, logged, step
from tools.layout import Layout, here

VERSION = "v2.21.0"
MODULE = "github.com/kedacore/keda/v2"
_SUM = "h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps="
"""Hash of the module's files, which have the hashes of all else."""

SCALERS = "pkg/scalers"
PROMETHEUS = "prometheus_scaler.go"
_KEPT = ("external_scaler.go", "metrics_api_scaler.go", PROMETHEUS, "scaler.go")
_METRIC_TYPE = "added/metric_type.go"
"""What the triggers that are left need of the others."""

_OWN = Path(__file__).parent
_REQUIRED, _SUMS = _OWN / "added.mod", _OWN / "added.sum"
"""What KEDA's go.mod and go.sum do not have."""


class Program(NamedTuple):
    """Programs that are compiled together."""

    name: str
    title: str
    """What set-up says of them."""
    source: Path
    """The module that declares them."""
    added: Mapping[str, str]
    """Our files, with their folders in KEDA's module."""
    edit: Callable[[Path], None]
    """Changes the copy of the module."""
    commands: tuple[str, ...]
    """Their folders in KEDA's module."""
    link: str = ""
    """Flags for Go's linker."""
    kept: tuple[str, ...] = ()
    """Folders of KEDA's module that are kept beside the programs."""


def go() -> str | None:
    """Path of Go; None where there is none."""
    return shutil.which("go")


def required(module: str) -> str:
    """Version of a module that `added.mod` requires."""
    found = re.search(rf"\t{re.escape(module)} (\S+)\n", _REQUIRED.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{_REQUIRED.name} does not require {module}")
    return found[1]


def built(place: Layout, program: Program) -> Path:
    """Folder of the programs, which are built if they are not there yet.

    Raises SetupError if there is no Go, or KEDA's module is not the one that is expected, and
        CommandFailed if it cannot be fetched or compiled.
    """
    folder = place.cache / "keda"
    done = folder / f"{program.name}-{_digest(program)}"
    if done.exists():
        return done
    folder.mkdir(parents=True, exist_ok=True)
    with step(f"{program.title} {VERSION} (minutes)"):
        copy, partial = folder / "module", done.with_suffix(".partial")
        _copy(_fetched(place, folder), copy)
        _change(copy, program)
        _require(place, folder, copy)
        shutil.rmtree(partial, ignore_errors=True)
        # Without debug information, they compile and link faster.
        words = ("-gcflags=all=-dwarf=false", f"-ldflags=-s -w {program.link}", "-o", f"{partial}/")
        _run(place, folder, copy, "build", *words, *(f"./{each}" for each in program.commands))
        for kept in program.kept:
            shutil.copytree(copy / kept, partial / Path(kept).name)
        for older in folder.glob(f"{program.name}-*"):
            if older != partial:
                shutil.rmtree(older)
        partial.replace(done)
    return done


def build(program: Program, target: str) -> None:
    """Build the programs for a target of make; without them, end with one line that says why."""
    try:
        built(here(), program)
    except (SetupError, CommandFailed) as error:
        sys.exit(f"{target}: {error}")


def replaced(file: Path, old: str, new: str) -> None:
    """Replace a text of KEDA's. Raises SetupError if it is not there."""
    text = file.read_text(encoding="utf-8")
    if old not in text:
        raise SetupError(f"{file.name} of {MODULE} {VERSION} must have {old!r}")
    file.write_text(text.replace(old, new), encoding="utf-8")


def _digest(program: Program) -> str:
    """Of all that makes the programs what they are."""
    own = (_METRIC_TYPE, *program.added)
    files = [Path(__file__), program.source, _REQUIRED, _SUMS, *(_OWN / name for name in own)]
    content = b"\0".join(file.read_bytes() for file in files)
    return hashlib.sha256(content).hexdigest()[:16]


def _fetched(place: Layout, folder: Path) -> Path:
    output = _run(place, folder, folder, "mod", "download", "-json", f"{MODULE}@{VERSION}")
    found = json.loads(output[output.index("{\n") :])
    if found["Sum"] != _SUM:
        raise SetupError(f"{MODULE} {VERSION} must have the hash {_SUM} (got {found['Sum']})")
    return Path(found["Dir"])


def _copy(module: Path, copy: Path) -> None:
    """Copy KEDA's module without triggers that need the libraries of all clouds and databases."""
    shutil.rmtree(copy, ignore_errors=True)
    ignored = shutil.ignore_patterns("*_test.go", "tests", "vendor")
    # The files of Go's cache must not be written: their modes are not copied.
    shutil.copytree(module, copy, ignore=ignored, copy_function=shutil.copyfile)
    for file in (copy / SCALERS).glob("*.go"):
        if file.name not in _KEPT:
            file.unlink()


def _change(copy: Path, program: Program) -> None:
    program.edit(copy)
    for name, to in {_METRIC_TYPE: SCALERS, **program.added}.items():
        (copy / to).mkdir(exist_ok=True)
        shutil.copy(_OWN / name, copy / to)


def _require(place: Layout, folder: Path, copy: Path) -> None:
    """Add Kubernetes' modules, with the hashes of all that KEDA does not have."""
    added = json.loads(_run(place, folder, copy, "mod", "edit", "-json", str(_REQUIRED)))
    words = [f"-require={each['Path']}@{each['Version']}" for each in added["Require"]]
    for each in added["Replace"]:
        old, new = each["Old"], each["New"]
        words.append(f"-replace={old['Path']}={new['Path']}@{new['Version']}")
    _run(place, folder, copy, "mod", "edit", *words)
    with (copy / "go.sum").open("a", encoding="utf-8") as sums:
        sums.write(_SUMS.read_text(encoding="utf-8"))


def _run(place: Layout, folder: Path, cwd: Path, *words: str) -> str:
    program = go()
    if program is None:
        raise SetupError("Go is not installed; KEDA's code needs 1.26 or later")
    return logged([program, *words], _environment(folder), cwd, place.logs / "keda.log")


def _environment(folder: Path) -> dict[str, str]:
    return {
        **os.environ,
        "GOPATH": str(folder / "gopath"),
        "GOCACHE": str(folder / "gocache"),
        "GOTOOLCHAIN": "local",
        "GOWORK": "off",
        # `make clean` can delete folders that are writable alone.
        "GOFLAGS": f"{os.environ.get('GOFLAGS', '')} -modcacherw -buildvcs=false".strip(),
    }
