"""A process of `groupscale scaler` that tests start, kill and start again at the same ports."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.live.scaler.keda.played_scaler import MU
from tests.live.scaler.scaler_fakes import STRATEGY

LOOK_S, BLIND_S = 0.5, 3.0
QUIET = "no permission to describe group 'quiet'"
_STARTED_S = 60.0


class RunningScaler:
    """Two groups: `billing`, which tests scale, and `quiet`, which can never be looked at.

    words: Before the options of `scaler`, a program that takes them.
    tls: Names of PEM files, as in the scaler's file.
    partitions: Of each topic, and the most replicas.
    more: Further keys of both groups in the scaler's file.
    """

    def __init__(
        self,
        folder: Path,
        words: tuple[str, ...] = (),
        tls: dict[str, str] | None = None,
        partitions: int = 9,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        self._folder, self._partitions = folder, partitions
        self._groups, self._log = folder / "groups.json", folder / "scaler.log"
        self._words = words or (
            *(sys.executable, "-m", "tests.live.scaler.keda.played_scaler"),
            str(self._groups),
        )
        own = {"strategy": STRATEGY, "mu": MU, "max_replicas": partitions}
        target = {"topic": "orders", **own, **(more or {})}
        names = ("billing", "quiet")
        content: dict[str, Any] = {
            # Nothing is there.
            "bootstrap": "127.0.0.1:1",
            "history": "history.json",
            "look_s": LOOK_S,
            "blind_s": BLIND_S,
            "allow": {"shop": {"groups": [*names], "topics": ["orders"]}},
            "scale": {f"shop/{name}": {**target, "group": name} for name in names},
        }
        if tls:
            content["tls"] = tls
        # JSON is YAML as well.
        (folder / "scaler.yaml").write_text(json.dumps(content))
        self._at = dict.fromkeys(("answers", "health", "grpc"), "127.0.0.1:0")
        self.needs(3)
        self.start()

    @property
    def grpc(self) -> str:
        """Address for the trigger `external`."""
        return self._at["grpc"]

    @property
    def http(self) -> str:
        """Address for the trigger `metrics-api`."""
        return self._at["answers"]

    @property
    def health(self) -> str:
        """Address of `/metrics`."""
        return self._at["health"]

    def decided(self) -> set[int]:
        """Counts for `billing` since its start."""
        lines = _lines(self._log, "decision")
        return {each["replicas"] for each in lines if each["group"] == "shop/billing"}

    def needs(self, replicas: int, fault: str = "") -> None:
        """Let the rate of `billing` need so many replicas from the next look on."""
        played = {
            "billing": {"replicas": replicas, "fault": fault, "partitions": self._partitions},
            "quiet": {"replicas": 1, "fault": QUIET},
        }
        partial = self._groups.with_suffix(".partial")
        partial.write_text(json.dumps(played))
        partial.replace(self._groups)

    def start(self) -> None:
        """Start, and wait until it listens."""
        log = self._log
        options = ("--config", str(self._folder / "scaler.yaml"))
        for option, name in (("listen", "answers"), ("health-listen", "health")):
            options = (*options, f"--{option}", self._at[name])
        command = [*self._words, "scaler", *options, "--grpc-listen", self._at["grpc"]]
        with log.open("w") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output, env=_own())
        try:
            line = self._listening(log)
        except BaseException:
            self.kill()
            raise
        self._at = {name: line[name] for name in self._at}

    def _listening(self, log: Path) -> dict[str, Any]:
        until = time.monotonic() + _STARTED_S
        while not (lines := _lines(log, "listening")):
            assert self.process.poll() is None, log.read_text()
            assert time.monotonic() < until, log.read_text()
            time.sleep(0.05)
        return lines[0]

    def forget(self) -> None:
        """Delete the counts of the last hour, as with the pod's folder."""
        (self._folder / "history.json").unlink(missing_ok=True)

    def kill(self) -> None:
        """End the process without any warning."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def _own() -> dict[str, str]:
    # A path that is safe does not have the folder of the tests.
    return {name: value for name, value in os.environ.items() if name != "PYTHONSAFEPATH"}


def _lines(log: Path, what: str) -> list[dict[str, Any]]:
    """Lines that say so."""
    found = (
        json.loads(line)
        for line in log.read_text().splitlines()
        if line.startswith("{") and line.endswith("}")
    )
    return [each for each in found if each["what"] == what]
