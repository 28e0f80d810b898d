"""Runs of one function on a real Pulsar while something happens to them, counted from evidence."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import psutil
import pulsar as client

from algorithms.simulation.application_graph import Application, check_application
from live.pulsar import load_process, loop_journal, scaled_application
from live.pulsar.function_settings import AT_LEAST_ONCE, UNINTERRUPTIBLE
from live.pulsar.real_application import Work
from live.pulsar.scaled_application import ScaledRun
from live.pulsar.scaling_loop import Resizing
from live.pulsar.standalone import Standalone

FUNCTION = "recognise"
WORK = Work(1, AT_LEAST_ONCE, UNINTERRUPTIBLE, 0)


class Counts(NamedTuple):
    """What became of events."""

    acknowledged: int
    lost: int
    repeated: int


def application(seconds: float, rate: float, hold_s: float, initial: int = 1) -> Application:
    """One function that holds each record for as long."""
    functions = {FUNCTION: {"mu": 1.0 / hold_s, "cs": 0.0, "initial": initial}}
    return check_application(functions, [("images", FUNCTION)], {"images": [(seconds, rate)]})


def scaled(
    what: Application,
    resizings: Sequence[Resizing] = (),
    guarantee: str = AT_LEAST_ONCE,
    hold: str = UNINTERRUPTIBLE,
) -> ScaledRun:
    """A run with constant spacing; its loop looks, and changes nothing but at set times."""
    work = WORK._replace(guarantee=guarantee, hold=hold)
    return ScaledRun(what, False, 7, 5.0, 1.0, work, "constant", {}, resizings)


@contextmanager
def meanwhile(folder: Path, at_s: float, happening: Callable[[], None]) -> Iterator[None]:
    """Let something happen a time after the load of a run began."""

    def happen() -> None:
        began = folder / "began.json"
        while not began.exists():
            time.sleep(0.05)
        due_ns = json.loads(began.read_text())["began_ns"] + at_s * 1e9
        time.sleep(max(due_ns - time.monotonic_ns(), 0) * 1e-9)
        happening()

    thread = threading.Thread(target=happen, daemon=True)
    thread.start()
    yield
    thread.join(5.0)
    assert not thread.is_alive()


def process_of(module: str) -> psutil.Process:
    """The child of this process that runs a module."""
    (found,) = (
        child for child in psutil.Process().children(recursive=True) if module in child.cmdline()
    )
    return found


def acknowledged(folder: Path) -> set[int]:
    """Events that Pulsar has stored, by the load's own record."""
    lines = (line.split(";") for line in (folder / "sent.txt").read_text().splitlines())
    return {int(number) for number, *_, stored in lines if stored}


def came_out(folder: Path) -> list[int]:
    """Numbers of events that the load has read, each time that it did."""
    lines = (folder / "read.txt").read_text().splitlines()
    return [int(line.partition(";")[0]) for line in lines]


def counts(folder: Path, later: Sequence[int] = ()) -> Counts:
    """Count a run. later: Events that came out when the load had ended."""
    stored, out = acknowledged(folder), [*came_out(folder), *later]
    return Counts(len(stored), len(stored.difference(out)), len(out) - len(set(out)))


def entries(folder: Path, kind: str) -> list[loop_journal.Entry]:
    """Entries of the journal of one kind."""
    every = loop_journal.read(folder / loop_journal.FILE)
    return [entry for entry in every if entry["kind"] == kind]


def run(pulsar: Standalone, what: ScaledRun, folder: Path) -> None:
    """Run an application; names of functions and topics begin with the folder's."""
    scaled_application.run(pulsar, what, folder, f"{folder.name}-")


def read_rest(pulsar: Standalone, prefix: str, wanted: set[int], seconds: float) -> list[int]:
    """Events of an output that the load has not acknowledged, until some have come."""
    connection = load_process.connected(pulsar.service_url, pulsar.token_file)
    read: list[int] = []
    until = time.monotonic() + seconds
    try:
        probe = connection.subscribe(f"{prefix}{FUNCTION}-out", "probe")
        while not wanted <= set(read) and time.monotonic() < until:
            try:
                message = probe.receive(1000)
            except client.Timeout:
                continue
            read.append(int(message.data().decode("ascii").partition(";")[0]))
            probe.acknowledge(message)
    finally:
        connection.close()
    return read


def stored(pulsar: Standalone, topic: str) -> set[int]:
    """Events that a topic has, whether a function has processed them or not."""
    return {int(record.partition(b";")[0]) for record in records(pulsar, topic)}


def records(pulsar: Standalone, topic: str) -> list[bytes]:
    """All records of a topic, from the earliest on."""
    connection = load_process.connected(pulsar.service_url, pulsar.token_file)
    try:
        reader = connection.create_reader(topic, client.MessageId.earliest)
        found = []
        while reader.has_message_available():
            found.append(reader.read_next(10_000).data())
        return found
    finally:
        connection.close()
