"""The owner of the brokers: gives orders to our controller's process, and does what it asks for.

So the controller can be killed while the brokers live on, and another one goes on from its journal.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from live.brokers import scaling_process
from live.brokers.elastic_cluster import ElasticCluster
from live.brokers.scaling_controller import ScalingFailed
from live.brokers.scaling_journal import Scaling
from live.brokers.scaling_process import JOURNAL, REACH, SCALE
from live.processes import child_processes, line_channel
from live.processes.child_processes import Child
from live.processes.line_channel import LineReader
from pipeline.base.errors import StageError

LOOK_SECONDS = 0.02

Watch = Callable[[Scaling, str], str | None]
"""Called before each phase, and again and again while partitions move and until replicas are as
planned; None goes on, `RESUME` or `CANCEL` kill the controller, and have another one go on, or
cancel."""


class ScalingOwner:
    """Scalings of a cluster; a context manager, which ends the controller's process.

    folder: Where the journal is.
    rate: Bytes/s that a broker sends and fetches for moved partitions.
    planner: One of `live.brokers.elastic_choices.PLANS`.
    """

    def __init__(self, cluster: ElasticCluster, folder: Path, rate: int, planner: str) -> None:
        self._cluster, self._folder, self._rate = cluster, folder, rate
        self._planner = planner
        self._child: Child | None = None
        self._out = -1
        self._reader: LineReader | None = None
        self._in = -1

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    @property
    def journal(self) -> Path:
        """File of the journal."""
        return self._folder / JOURNAL

    def scale(self, scaling: Scaling, watch: Watch = lambda _scaling, _phase: None) -> None:
        """Add or remove a broker. Raises ScalingFailed if that fails."""
        verb: str | None = SCALE
        while verb is not None:
            if self._child is None:
                self._begin()
            self._answer(do=verb, scaling=list(scaling))
            verb = self._serve(scaling, watch)
            if verb is not None:
                self._end()

    def _serve(self, scaling: Scaling, watch: Watch) -> str | None:
        """Do what the controller asks for until it is done, or has been killed on purpose."""
        while True:
            for message in self._arrived():
                question, of = message["ask"], message["of"]
                if question == "ended":
                    if of:
                        raise ScalingFailed(f"broker {scaling.broker} ({scaling.kind}): {of}")
                    return None
                if question == "phase":
                    verb = watch(scaling, of)
                    if verb is not None:
                        return verb
                    self._answer()
                else:
                    self._answer(**self._done(question, of))
            time.sleep(LOOK_SECONDS)

    def _done(self, question: str, broker: int) -> dict[str, Any]:
        calls: dict[str, Callable[[int], Any]] = {
            "start": self._cluster.start,
            "stop": self._cluster.stop,
            "kill": self._cluster.kill,
            "is_full": self._cluster.is_full,
            "has_ended": self._cluster.has_ended,
        }
        try:
            return {"value": calls[question](broker)}
        except StageError as error:
            return {"problem": str(error)}

    def _arrived(self) -> list[dict[str, Any]]:
        assert self._reader is not None
        assert self._child is not None
        messages = self._reader.arrived()
        if not messages and self._reader.is_closed:
            raise ScalingFailed(f"the controller has ended: {self._child.why()}")
        failures = self._cluster.failures()
        for controller in self._cluster.controllers:
            if controller in failures:
                raise ScalingFailed(failures[controller])
        return messages

    def _answer(self, **content: Any) -> None:
        with suppress(BrokenPipeError):
            line_channel.send(self._out, {"bootstrap": self._cluster.bootstrap, **content})

    def _begin(self) -> None:
        """Start the controller's process."""
        cluster = self._cluster
        reach = {
            "bootstrap": cluster.bootstrap,
            "controller_addresses": cluster.controller_addresses,
            "client_file": str(cluster.client_file),
            "java": str(cluster.java),
            "jars": str(cluster.jars),
            "rate": self._rate,
            "planner": self._planner,
        }
        (self._folder / REACH).write_text(json.dumps(reach), encoding="utf-8")
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        try:
            self._child = child_processes.start_module(
                scaling_process.__name__,
                [self._folder, str(theirs_in), str(theirs_out)],
                "controller of brokers",
                self._folder / "controller.log",
                (theirs_in, theirs_out),
            )
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._reader = LineReader(self._in)

    def _end(self) -> None:
        """Kill the controller's process, as ``kill -9`` does."""
        if self._child is not None:
            child_processes.kill([self._child])
            self._child = None
            os.close(self._out)
            os.close(self._in)
