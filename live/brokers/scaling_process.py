"""Process of our controller: ``python -m … FOLDER IN OUT``; it can be killed in every phase.

It takes orders from the pipe IN, and asks the process that owns the brokers to start and end them
through OUT: a line of JSON each. Each answer has the addresses of the brokers that run. Without an
owner it ends.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from live.brokers.broker_admin import BrokerAdmin
from live.brokers.scaling_controller import ScalingController
from live.brokers.scaling_journal import Scaling, ScalingJournal
from live.login import client_properties
from live.login.client_properties import ClientProperties
from live.processes import line_channel
from pipeline.base.errors import InputError, StageError

JOURNAL = "journal.jsonl"
REACH = "reach.json"

SCALE, RESUME, CANCEL = "scale", "resume", "cancel"
"""Orders."""


@dataclass
class OwnedReach:
    """How to reach the cluster, as its owner says."""

    bootstrap: str
    controller_addresses: str
    client_file: Path
    java: Path
    jars: Path
    rate: int
    """Bytes/s for moved partitions."""
    planner: str

    @property
    def properties(self) -> ClientProperties:
        """The login."""
        return client_properties.read(self.client_file)


class Owner:
    """The process that owns the brokers: it starts and ends them."""

    def __init__(self, lines: IO[str], out: int, reach: OwnedReach) -> None:
        self._lines, self._out, self._reach = lines, out, reach

    def order(self) -> dict[str, Any]:
        """The next order, or the answer to a question. Raises EOFError without an owner."""
        line = self._lines.readline()
        if not line:
            raise EOFError
        message: dict[str, Any] = json.loads(line)
        self._reach.bootstrap = message["bootstrap"]
        return message

    def start(self, broker: int) -> None:
        """Start a broker, unless it runs, and wait until it answers."""
        self._ask("start", broker)

    def stop(self, broker: int) -> None:
        """End a broker in order, and delete what it stored."""
        self._ask("stop", broker)

    def kill(self, broker: int) -> None:
        """End a broker at once; it has ended by itself then."""
        self._ask("kill", broker)

    def is_full(self, broker: int) -> bool:
        """Whether its disk has no space left."""
        return bool(self._ask("is_full", broker))

    def has_ended(self, broker: int) -> bool:
        """Whether it has ended by itself."""
        return bool(self._ask("has_ended", broker))

    def watch(self, scaling: Scaling, phase: str) -> None:
        """Say which phase comes next, and wait for the answer."""
        self._ask("phase", phase)

    def say_end(self, problem: str) -> None:
        """Say that an order has been carried out, or why not."""
        line_channel.send(self._out, {"ask": "ended", "of": problem})

    def _ask(self, question: str, of: object) -> object:
        line_channel.send(self._out, {"ask": question, "of": of})
        answer = self.order()
        if answer.get("problem"):
            raise StageError(answer["problem"])
        return answer.get("value")


def main(folder: Path, read: int, written: int) -> int:
    """Carry out orders; return the process's status."""
    said = json.loads((folder / REACH).read_text(encoding="utf-8"))
    paths = {name: Path(said[name]) for name in ("client_file", "java", "jars")}
    reach = OwnedReach(**{**said, **paths})
    with open(read, encoding="utf-8") as lines:
        owner = Owner(lines, written, reach)
        journal = ScalingJournal(folder / JOURNAL)
        admin = BrokerAdmin(reach)
        controller = ScalingController(
            owner, admin, journal, reach.rate, reach.planner, owner.watch
        )
        try:
            while True:
                owner.say_end(_carried_out(controller, owner.order()))
        except (EOFError, BrokenPipeError):
            return 0
        finally:
            journal.close()


def _carried_out(controller: ScalingController, order: dict[str, Any]) -> str:
    """Why an order failed; empty if it did not."""
    try:
        if order["do"] == SCALE:
            controller.scale(Scaling(*order["scaling"]))
        elif order["do"] == RESUME:
            controller.resume()
        else:
            controller.cancel()
    except (StageError, InputError) as error:
        return str(error)
    return ""


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
