"""Builds a control plane, and KEDA for it: ``python -m tools.keda.control_plane``.

`plane` has etcd, kube-apiserver and kube-controller-manager; `operator` and `adapter` are KEDA's
own programs, with the triggers that we write and no others. `bases` has KEDA's resource
definitions.
"""

from __future__ import annotations

import re
from pathlib import Path

from tools.keda import keda_module
from tools.keda.keda_module import Program
from tools.layout import Layout

_TRIGGERS = ("external", "external-push", "metrics-api", "prometheus")
_CASE = re.compile('\tcase "([^"]+)":\n\t\treturn .*\n')
_KUBERNETES = keda_module.required("k8s.io/kubernetes")
"""KEDA reads it from the API."""


def built(place: Layout) -> Path:
    """Folder of the programs, which are built if they are not there; raises as in `keda_module`."""
    return keda_module.built(place, PROGRAM)


def _edit(copy: Path) -> None:
    builder = copy / "pkg/scaling/scalers_builder.go"
    text = builder.read_text(encoding="utf-8")
    builder.write_text(
        _CASE.sub(lambda found: found[0] if found[1] in _TRIGGERS else "", text), "utf-8"
    )
    # Its page of metrics would listen on all addresses of the machine.
    keda_module.replaced(
        copy / "cmd/adapter/main.go",
        'fmt.Sprintf(":%v", metricsAPIServerPort)',
        'fmt.Sprintf("127.0.0.1:%v", metricsAPIServerPort)',
    )


PROGRAM = Program(
    "control-plane",
    f"Kubernetes {_KUBERNETES} and KEDA",
    Path(__file__),
    {"plane/main.go": "cmd/plane"},
    _edit,
    ("cmd/plane", "cmd/operator", "cmd/adapter"),
    f"-X k8s.io/component-base/version.gitVersion={_KUBERNETES}",
    ("config/crd/bases",),
)

if __name__ == "__main__":
    keda_module.build(PROGRAM, "control-plane-test")
