"""KEDA's own code in a process that asks what tests tell it to (tools/keda/ask/main.go)."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

HTTP, GRPC, PUSH, PROMETHEUS = "metrics-api", "external", "external-push", "prometheus"
METRIC = {HTTP: "s0-metric-api-replicas", GRPC: "s0-replicas", PROMETHEUS: "s0-prometheus"}
"""Names under which the pod autoscaler asks."""

_LONGEST_S = 60.0


class Read(NamedTuple):
    """What KEDA has of a question."""

    metrics: list[tuple[Any, ...]]
    """Name and value; of a specification, name, type of the target and target."""
    is_active: bool
    error: str
    shown: Any = None
    """Of a pod autoscaler."""

    @property
    def value(self) -> float:
        """The one value."""
        assert self.error == "", self.error
        ((_, value),) = self.metrics
        return float(value)


class Keda:
    """Asks one question after the other."""

    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process, self._log = process, log
        self._opened = 0

    @property
    def log(self) -> str:
        """What KEDA has logged."""
        return self._log.read_text()

    def ask(self, do: str, **values: Any) -> Read:
        """Ask; a process without an answer ends."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"do": do, **values}) + "\n")
        self._process.stdin.flush()
        late = threading.Timer(_LONGEST_S, self._process.kill)
        late.start()
        line = self._process.stdout.readline()
        late.cancel()
        assert line, self.log[-2000:]
        answer = json.loads(line)
        metrics = [tuple(each.values()) for each in answer["metrics"] or ()]
        return Read(metrics, answer["active"], answer["error"], answer.get("shown"))

    def open(
        self,
        kind: str,
        metadata: Mapping[str, str],
        auth: Mapping[str, str] | None = None,
        name: str = "shop/billing",
        formula: str = "",
        fallback: Mapping[str, Any] | None = None,
    ) -> Trigger:
        """A trigger of the ScaledObject `name`. Raises Unusable if KEDA refuses it.

        formula: Of ``scalingModifiers`` with target 1, where the trigger is ``m``.
        fallback: Of the ScaledObject.
        """
        self._opened += 1
        namespace, _, own = name.partition("/")
        trigger = {
            "type": kind,
            "namespace": namespace,
            "name": own,
            "metadata": metadata,
            "auth": auth or {},
        }
        key = str(self._opened)
        read = self.ask("open", key=key, trigger=trigger, formula=formula, fallback=fallback)
        if read.error:
            raise Unusable(read.error)
        return Trigger(self, kind, key)


class Unusable(Exception):
    """KEDA refuses a trigger."""


@dataclass(frozen=True)
class Trigger:
    """One trigger, with a scaler of its own in KEDA."""

    keda: Keda
    kind: str
    key: str

    def specs(self) -> Read:
        """Metrics that KEDA would write into the pod autoscaler."""
        return self.keda.ask("specs", key=self.key)

    def read(self, metric: str = "") -> Read:
        """What KEDA gets for a sync of the pod autoscaler."""
        return self.keda.ask("metrics", key=self.key, metric=metric or METRIC[self.kind])

    def synced(self, replicas: int) -> Read:
        """The same, where the target has so many replicas and the fallback may start."""
        metric = METRIC[self.kind]
        return self.keda.ask("synced", key=self.key, metric=metric, replicas=replicas)

    def pushed(self) -> Read:
        """The activity that the scaler sends first, by itself."""
        return self.keda.ask("pushed", key=self.key)

    def scale(self, scaled: Any, replicas: int, sync_s: float, poll_s: float) -> None:
        """Let Kubernetes' pod autoscaler scale a Deployment in memory, as a ScaledObject says.

        scaled: The ScaledObject.
        replicas: Of the Deployment at the start.
        poll_s: Between two polls of KEDA.
        """
        own = {"scaled": scaled, "replicas": replicas, "sync_s": sync_s, "poll_s": poll_s}
        read = self.keda.ask("scale", key=self.key, **own)
        if read.error:
            raise Unusable(read.error)

    def scaled(self) -> Any:
        """The Deployment's replicas with their changes, and what the pod autoscaler says."""
        read = self.keda.ask("scaled", key=self.key)
        assert read.error == "", read.error
        return read.shown

    def unscale(self) -> None:
        """End the pod autoscaler."""
        self.keda.ask("unscale", key=self.key)

    def close(self) -> None:
        self.keda.ask("close", key=self.key)


@contextmanager
def asking(program: Path, folder: Path) -> Iterator[Keda]:
    """KEDA, until the end."""
    log = folder / "keda.log"
    with (
        log.open("w") as errors,
        subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True
        ) as process,
    ):
        yield Keda(process, log)
        assert process.stdin is not None
        process.stdin.close()


def over_http(url: str, **more: str) -> dict[str, str]:
    """Metadata as `recommend` writes them."""
    return {"targetValue": "1", "valueLocation": "replicas", "url": url, **more}


def over_grpc(address: str, **more: str) -> dict[str, str]:
    """Metadata as `recommend` writes them."""
    return {"scalerAddress": address, **more}
