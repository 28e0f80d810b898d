"""Builds the program `ask` with KEDA's own code: ``python -m tools.keda.keda_program``.

The program is compiled inside a copy of KEDA's module, with KEDA's own list of dependencies and
their hashes. The copy has no other triggers than those that we use: theirs need the libraries of
all clouds.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from tools.console import CommandFailed, SetupError, logged, step
from tools.layout import Layout, here

VERSION = "v2.21.0"
_MODULE = "github.com/kedacore/keda/v2"
_SUM = "h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps="
"""Hash of the module's files, which have the hashes of all else."""

_NAME = "keda-client"
_OWN = Path(__file__).parent
_ADDED = {
    "ask/main.go": "cmd/ask",
    "ask/pod_autoscaler.go": "cmd/ask",
    "added/metric_type.go": "pkg/scalers",
    "added/replicas.go": "pkg/scaling/resolver",
}
"""Our files, with their folders in KEDA's module."""

_REQUIRED, _SUMS = _OWN / "ask/added.mod", _OWN / "ask/added.sum"
"""What KEDA's go.mod and go.sum do not have."""

_PROMETHEUS = "prometheus_scaler.go"
_KEPT = ("external_scaler.go", "metrics_api_scaler.go", _PROMETHEUS, "scaler.go")
_PACKAGE, _RESOLVER = "pkg/scalers", "pkg/scaling/resolver"
_LOGINS = " else {\n\t\t// could be the case of azure managed prometheus."
_AFTER_LOGINS = "\n\n\treturn &prometheusScaler{"
_OF_LOGINS = ("errors", *(f"{_MODULE}/{_PACKAGE}/{cloud}" for cloud in ("aws", "azure", "gcp")))
"""Where the trigger for Prometheus logs in to clouds, and what it imports for that alone."""


def go() -> str | None:
    """Path of Go; None where there is none."""
    return shutil.which("go")


def built(place: Layout) -> Path:
    """Path of the program, which is built if it is not there yet.

    Raises SetupError if there is no Go, or KEDA's module is not the one that is expected, and
        CommandFailed if it cannot be fetched or compiled.
    """
    folder = place.cache / "keda"
    program = folder / f"{_NAME}-{_digest()}"
    if program.exists():
        return program
    folder.mkdir(parents=True, exist_ok=True)
    with step(f"KEDA's code {VERSION} (minutes)"):
        copy = folder / "module"
        _copy(_fetched(place, folder), copy)
        _require(place, folder, copy)
        partial = program.with_suffix(".partial")
        _run(place, folder, copy, "build", "-ldflags=-s -w", "-o", str(partial), "./cmd/ask")
        for older in folder.glob(f"{_NAME}-*"):
            if older != partial:
                older.unlink()
        partial.replace(program)
    return program


def _digest() -> str:
    """Of all that makes the program what it is."""
    files = [Path(__file__), _REQUIRED, _SUMS, *(_OWN / name for name in _ADDED)]
    content = b"\0".join(file.read_bytes() for file in files)
    return hashlib.sha256(content).hexdigest()[:16]


def _fetched(place: Layout, folder: Path) -> Path:
    output = _run(place, folder, folder, "mod", "download", "-json", f"{_MODULE}@{VERSION}")
    found = json.loads(output[output.index("{\n") :])
    if found["Sum"] != _SUM:
        raise SetupError(f"{_MODULE} {VERSION} must have the hash {_SUM} (got {found['Sum']})")
    return Path(found["Dir"])


def _copy(module: Path, copy: Path) -> None:
    """Copy KEDA's module without other triggers and the cluster, and with our files."""
    shutil.rmtree(copy, ignore_errors=True)
    ignored = shutil.ignore_patterns("*_test.go", "tests", "vendor")
    # The files of Go's cache must not be written: their modes are not copied.
    shutil.copytree(module, copy, ignore=ignored, copy_function=shutil.copyfile)
    for file in (copy / _PACKAGE).glob("*.go"):
        if file.name not in _KEPT:
            file.unlink()
    prometheus = copy / _PACKAGE / _PROMETHEUS
    prometheus.write_text(_without_logins(prometheus.read_text(encoding="utf-8")), "utf-8")
    shutil.rmtree(copy / _RESOLVER)
    for name, to in _ADDED.items():
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


def _without_logins(text: str) -> str:
    before, _, rest = text.partition(_LOGINS)
    after = rest.partition(_AFTER_LOGINS)[2]
    for name in _OF_LOGINS:
        before = before.replace(f'\t"{name}"\n', "")
    return before + _AFTER_LOGINS + after


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


def main(arguments: Sequence[str] = ()) -> None:
    """Build the program; without it, end with one line that says why."""
    try:
        built(here())
    except (SetupError, CommandFailed) as error:
        sys.exit(f"keda-test: {error}")


if __name__ == "__main__":
    main()
