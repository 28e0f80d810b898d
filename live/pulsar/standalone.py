"""A Pulsar on this machine, which ends with this process."""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from typing import Self

import requests

from live.kafka.reserved_ports import HOST, reserved
from live.processes import child_processes
from live.processes.child_processes import Child
from live.pulsar import pulsar_jars, pulsar_login, standalone_settings
from live.pulsar.function_settings import AT_LEAST_ONCE, UNINTERRUPTIBLE
from live.pulsar.functions_admin import FunctionFailed, FunctionsAdmin, FunctionSpec
from live.pulsar.standalone_settings import PulsarPorts
from pipeline.base.errors import InputError, StageError

STOCK, EXTENDED = "stock", "extended"
"""How the functions worker carries out a new parallelism: all instances restart, or only the
difference starts or stops."""

START_SECONDS = 240.0
"""Time limit of a start; on an idle machine one takes 20 s."""

STOP_SECONDS = 15.0

_LOG_SETTINGS = Path(__file__).with_name("pulsar_log4j2.properties")
_LOOK_SECONDS = 0.5


class PulsarFailed(StageError):
    """Pulsar did not start, has ended or did not answer; the message names its log."""


class Standalone:
    """Broker, bookie and functions worker in one process, on ports that the system has chosen.

    A context manager: starts on entry, stops on exit and deletes its data; its logs stay.

    folder: New folder for its data and logs.
    executor: `STOCK` or `EXTENDED`.
    Raises InputError if JARs, a compiler or Java are missing.
    """

    def __init__(self, folder: Path, executor: str = STOCK) -> None:
        self.folder, self.executor = folder.absolute(), executor
        self.files = pulsar_jars.ensure()
        self.child: Child | None = None
        self._place = self.folder / "pulsar"
        self._reservations = ExitStack()
        self._ports = PulsarPorts(0, 0, 0)

    def __enter__(self) -> Self:
        try:
            self._place.mkdir(mode=0o700, parents=True)
        except FileExistsError:
            # It belongs to another one, and stays.
            raise InputError(f"{self._place} exists already; Pulsar needs a new folder") from None
        try:
            self._prepare()
            self._launch()
            until = time.monotonic() + START_SECONDS
            self._wait(until)
            self._try_function(until)
        except BaseException:
            self._end(0)
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end(STOP_SECONDS)

    @property
    def service_url(self) -> str:
        """Where its clients connect."""
        return f"pulsar://{HOST}:{self._ports.broker}"

    @property
    def admin_url(self) -> str:
        """Where it is administered."""
        return f"http://{HOST}:{self._ports.http}/admin"

    @property
    def token_file(self) -> Path:
        """File of the token that its clients and its administration need."""
        return pulsar_login.token_file(self._place)

    @property
    def version(self) -> str:
        """Version of Pulsar, as its JAR's name has it."""
        names = (jar.stem for jar in self.files.jars.glob("pulsar-broker-[0-9]*.jar"))
        return next((name.rpartition("-")[2] for name in names), "unknown")

    @property
    def log(self) -> Path:
        """Its log file."""
        return self.folder / "logs" / "pulsar.log"

    def check(self) -> None:
        """Raise PulsarFailed, with its reason, if its process has ended."""
        if self.child is not None and self.child.status() is not None:
            raise PulsarFailed(f"Pulsar has ended{self._why()}")

    def _prepare(self) -> None:
        """Reserve ports, write login and settings."""
        numbers = self._reservations.enter_context(reserved(3, "Pulsar"))
        self._ports = PulsarPorts(*numbers)
        pulsar_login.write(self._place)
        texts = {
            "standalone.conf": standalone_settings.standalone_conf(self._place, self._ports),
            "functions_worker.yml": standalone_settings.worker_yaml(
                self._place, self._ports, self.files.function
            ),
        }
        for name, text in texts.items():
            (self._place / name).write_text(text, encoding="utf-8")

    def _launch(self) -> None:
        """Start its process, on the data that it finds."""
        output = self.folder / "logs" / "pulsar.output"
        ahead = f"{self.files.extension}:" if self.executor == EXTENDED else ""
        command: list[str | Path] = [
            self.files.java,
            *standalone_settings.JAVA_OPTIONS,
            f"-XX:ErrorFile={output}",
            f"-Djava.io.tmpdir={self._place}",
            f"-Dlog4j2.configurationFile={_LOG_SETTINGS.as_uri()}",
            f"-Dgroupscale.log={self.log}",
            *("-cp", f"{ahead}{self.files.jars}/*", standalone_settings.MAIN),
            *standalone_settings.arguments(self._place, self._ports),
        ]
        self.child = child_processes.start(command, "Pulsar", output)

    def _wait(self, until: float) -> None:
        """Wait until its functions worker leads."""
        while not self._leads():
            self.check()
            if time.monotonic() > until:
                raise PulsarFailed(f"Pulsar does not answer in time{self._why()}")
            time.sleep(_LOOK_SECONDS)

    def _try_function(self, until: float) -> None:
        """Create functions until one is accepted, then delete it.

        A worker that leads can still refuse a function for seconds, and a name that was refused
        stays taken for good: so each has a name of its own, and runs find a worker that is ready.
        """
        admin = FunctionsAdmin(self.admin_url, self.token_file)
        for number in count():
            name = f"ready-{number}"
            topics = (f"{name}-in", f"{name}-out")
            spec = FunctionSpec(name, 0, *topics, 1, AT_LEAST_ONCE, UNINTERRUPTIBLE, 0)
            try:
                admin.create(spec, self.files.function, 1)
                admin.resize(spec, self.files.function, 2)
                admin.delete(name)
            except FunctionFailed as error:
                self.check()
                if time.monotonic() > until:
                    raise PulsarFailed(f"Pulsar takes no functions in time: {error}") from error
                time.sleep(_LOOK_SECONDS)
            else:
                return

    def _leads(self) -> bool:
        urls = ("v2/worker/cluster/leader", "v3/functions/public/default")
        try:
            with pulsar_login.session(self.token_file) as session:
                answers = [session.get(f"{self.admin_url}/{url}", timeout=5) for url in urls]
        except requests.RequestException:
            return False
        return all(answer.ok for answer in answers) and bool(answers[0].content)

    def _why(self) -> str:
        for log in (self.log, self.folder / "logs" / "pulsar.output"):
            line = child_processes.last_cause(log)
            if line:
                return f": {line} (log: {log})"
        return f" (log: {self.log})"

    def _end(self, grace: float) -> None:
        try:
            if self.child is not None:
                child, self.child = self.child, None
                child_processes.stop([child], grace)
        finally:
            self._reservations.close()
            shutil.rmtree(self._place, ignore_errors=True)
