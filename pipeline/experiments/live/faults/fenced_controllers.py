"""What must be seen after a second controller has taken over from one that is still at work."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from live.records import journal
from pipeline.experiments.live.evidence.run_folder import Entry, RunFolder
from pipeline.experiments.live.faults.fault_checks import first


class Order(NamedTuple):
    """A partition in a command; ``kind`` is ``stop`` or ``start``."""

    consumer: int
    incarnation: int
    kind: str
    partition: int
    epoch: int


def fenced(folder: RunFolder, notes: list[Entry]) -> list[str]:
    """Check that the older controller has commanded nothing since the second one was at work.

    The controllers' journal has the process of each entry. The consumers' journals have the
    commands that they obeyed, from either controller.
    """
    fault, status = first(notes, "fault"), first(notes, "status")["status"]
    wrong = [] if status == 3 else [f"the first controller ended with {status}, not 3"]
    newer = [e for e in folder.entries if e["at_ns"] > fault["at_ns"] and e["pid"] != fault["pid"]]
    if not newer:
        return [*wrong, "the second controller did nothing"]
    since_ns = min(entry["at_ns"] for entry in newer)
    late = [
        entry
        for entry in folder.said("sent")
        if entry["pid"] == fault["pid"] and entry["at_ns"] > since_ns
    ]
    ordered = {_order(entry) for entry in newer if entry["what"] == "sent"}
    return [
        *wrong,
        *(f"the first controller sent a {e['kind']} at {e['at_ns']} ns" for e in late),
        *(
            f"consumer {order.consumer} obeyed a {order.kind} of partition {order.partition}, "
            f"epoch {order.epoch}, which the second controller did not send"
            for order in sorted(_obeyed(folder, since_ns) - ordered)
        ),
    ]


def _order(entry: Entry) -> Order:
    place = entry["consumer"], entry["incarnation"]
    return Order(*place, entry["kind"], entry["partition"], entry["epoch"])


def _obeyed(folder: RunFolder, since_ns: int) -> set[Order]:
    return {
        order
        for file in sorted((Path(folder.settings.folder) / "journal").glob("c*-*.jsonl"))
        for order in _obeyed_by(file, since_ns)
    }


def _obeyed_by(file: Path, since_ns: int) -> Iterator[Order]:
    consumer, incarnation = map(int, file.stem.removeprefix("c").split("-"))
    for entry in journal.entries(file):
        # `end` leaves partitions, too, but names none.
        if entry["what"] != "obeyed" or entry["kind"] == "end" or entry["at_ns"] <= since_ns:
            continue
        for partition, epoch, _ in entry["left"] if entry["kind"] == "stop" else entry["begun"]:
            yield Order(consumer, incarnation, entry["kind"], partition, epoch)
