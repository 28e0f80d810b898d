"""Process of the load, which publishes events and reads what comes out: ``python -m … FOLDER``.

It reads ``load.json`` and ``schedule.npz`` in the folder, and writes ``began.json`` when the first
event is about to be due, ``sent.txt`` and ``read.txt`` while it runs, and at last ``ended.json``.
Each line is one write at the end of its file, so a kill leaves whole lines.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pulsar

from live.pulsar import pulsar_login, sample_images
from pipeline.base.process import replaced_file

AHEAD_S = 0.5
"""From the moment that everything is connected to the start of the clock, s."""

_TICK_MS = 200


@dataclass(frozen=True)
class Load:
    """What the process does."""

    service_url: str
    token_file: str
    """Has the token of Pulsar's login."""
    source: str
    """Topic that it publishes to."""
    outputs: tuple[str, ...]
    """Topics that it reads: each has every event once when all is done."""
    drain_s: float
    """How long it waits after the last event was due until all have come out, s."""
    image_width: int
    """Of the images that records carry, pixels; 0: they carry none."""
    seed: int
    """Of the images."""


def write(folder: Path, load: Load, times: np.ndarray, services: np.ndarray) -> None:
    """Write what `main` reads. times: s, ascending; services: s, by event and function."""
    (folder / "load.json").write_text(json.dumps(asdict(load)), encoding="utf-8")
    np.savez(folder / "schedule.npz", times=times, services=services)


def main(folder: Path) -> int:
    """Publish and read all; return the process's status. An error is printed on stderr."""
    load = Load(**json.loads((folder / "load.json").read_text(encoding="utf-8")))
    try:
        with closing(connected(load.service_url, Path(load.token_file))) as client:
            _Load(folder, load, client).run()
    except (pulsar.PulsarException, OSError) as error:
        print(f"load: {error}", file=sys.stderr)
        return 1
    return 0


def connected(service_url: str, token_file: Path) -> pulsar.Client:
    """A client with the token of a file, which warns on stderr. Raises OSError if unreadable."""
    return pulsar.Client(
        service_url,
        authentication=pulsar.AuthenticationToken(pulsar_login.read(token_file)),
        logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Warn),
    )


class _Load:
    def __init__(self, folder: Path, load: Load, client: pulsar.Client) -> None:
        self._folder, self._load = folder, load
        with np.load(folder / "schedule.npz") as schedule:
            self._due_ns = (schedule["times"] * 1e9).astype(np.int64)
            self._holds_ns = (schedule["services"] * 1e9).astype(np.int64)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self._sent, self._read = (
            os.open(folder / n, flags, 0o644) for n in ("sent.txt", "read.txt")
        )
        self._images = sample_images.drawn(load.image_width, load.seed) if load.image_width else []
        self._acknowledged: set[int] = set()
        self._failed = 0
        self._failure: Exception | None = None
        self._answered = threading.Semaphore(0)
        self._seen: dict[str, set[int]] = {topic: set() for topic in load.outputs}
        self._consumer = client.subscribe(
            list(load.outputs), "probe", initial_position=pulsar.InitialPosition.Earliest
        )
        self._producer = client.create_producer(
            load.source, batching_enabled=False, block_if_queue_full=True
        )

    def run(self) -> None:
        reader = threading.Thread(target=self._read_all, name="reader", daemon=True)
        self._stop_ns = 0
        began_ns = time.monotonic_ns() + round(AHEAD_S * 1e9)
        replaced_file.write_json(self._folder / "began.json", {"began_ns": began_ns})
        reader.start()
        for number in range(self._due_ns.size):
            self._publish(number, began_ns)
            self._check_reader()
        self._producer.flush()
        for _ in range(self._due_ns.size):
            self._answered.acquire()
        self._stop_ns = time.monotonic_ns() + round(self._load.drain_s * 1e9)
        reader.join()
        self._check_reader()
        seen = [len(self._acknowledged & numbers) for numbers in self._seen.values()]
        report = {
            "acknowledged": len(self._acknowledged),
            "failed": self._failed,
            "drained": all(count == len(self._acknowledged) for count in seen),
        }
        replaced_file.write_json(self._folder / "ended.json", report)

    def _publish(self, number: int, began_ns: int) -> None:
        due_ns = began_ns + int(self._due_ns[number])
        gap = str(self._due_ns[number] - self._due_ns[number - 1]) if number else ""
        holds = ":".join(map(str, self._holds_ns[number]))
        record = f"{number};{due_ns};{gap};{holds}".encode()
        if self._images:
            record += b"\n" + self._images[number % len(self._images)]
        time.sleep(max(due_ns - time.monotonic_ns(), 0) * 1e-9)
        sent_ns = time.monotonic_ns()

        def answered(result: Any, _: object) -> None:
            is_stored = result == pulsar.Result.Ok
            if is_stored:
                self._acknowledged.add(number)
            else:
                self._failed += 1
            line = f"{number};{due_ns};{sent_ns};{time.monotonic_ns() if is_stored else ''}\n"
            os.write(self._sent, line.encode())
            self._answered.release()

        self._producer.send_async(record, answered)

    def _check_reader(self) -> None:
        """What was not read for a failure is not lost: without a reader, the load fails."""
        if self._failure is not None:
            raise self._failure

    def _read_all(self) -> None:
        try:
            self._read_until()
        except Exception as error:
            self._failure = error

    def _read_until(self) -> None:
        """Read what comes out, until all has, or it is time to stop."""
        while not self._is_over():
            try:
                message = self._consumer.receive(_TICK_MS)
            except pulsar.Timeout:
                continue
            read_ns = time.monotonic_ns()
            text = message.data().partition(b"\n")[0].decode("ascii")
            os.write(self._read, f"{text};{read_ns}\n".encode())
            topic = message.topic_name().rpartition("/")[2]
            self._seen[topic].add(int(text.partition(";")[0]))
            self._consumer.acknowledge(message)

    def _is_over(self) -> bool:
        if not self._stop_ns:
            return False
        is_all = all(numbers >= self._acknowledged for numbers in self._seen.values())
        return is_all or time.monotonic_ns() > self._stop_ns


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
