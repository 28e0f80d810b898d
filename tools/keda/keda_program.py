"""Builds the program `ask` with KEDA's own code: ``python -m tools.keda.keda_program``.

It has neither logins to clouds nor a cluster: the fallback gets its replicas from us.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tools.keda import keda_module
from tools.keda.keda_module import MODULE, PROMETHEUS, SCALERS, Program
from tools.layout import Layout

_RESOLVER = "pkg/scaling/resolver"
_LOGINS = " else {\n\t\t// could be the case of azure managed prometheus."
_AFTER_LOGINS = "\n\n\treturn &prometheusScaler{"
_OF_LOGINS = ("errors", *(f"{MODULE}/{SCALERS}/{cloud}" for cloud in ("aws", "azure", "gcp")))
"""Where the trigger for Prometheus logs in to clouds, and what it imports for that alone."""


def built(place: Layout) -> Path:
    """Path of the program, which is built if it is not there yet; raises as `keda_module.built`."""
    return keda_module.built(place, PROGRAM) / "ask"


def _edit(copy: Path) -> None:
    prometheus = copy / SCALERS / PROMETHEUS
    prometheus.write_text(_without_logins(prometheus.read_text(encoding="utf-8")), "utf-8")
    shutil.rmtree(copy / _RESOLVER)


def _without_logins(text: str) -> str:
    before, _, rest = text.partition(_LOGINS)
    after = rest.partition(_AFTER_LOGINS)[2]
    for name in _OF_LOGINS:
        before = before.replace(f'\t"{name}"\n', "")
    return before + _AFTER_LOGINS + after


PROGRAM = Program(
    "keda-client",
    "KEDA's code",
    Path(__file__),
    {
        "ask/main.go": "cmd/ask",
        "ask/pod_autoscaler.go": "cmd/ask",
        "added/replicas.go": _RESOLVER,
    },
    _edit,
    ("cmd/ask",),
)

if __name__ == "__main__":
    keda_module.build(PROGRAM, "keda-test")
