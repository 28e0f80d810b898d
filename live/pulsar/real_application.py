"""An application on a Pulsar: its functions, and its graph as Pulsar knows it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import NamedTuple

from algorithms.simulation.application_graph import Application, check_application
from live.pulsar.function_settings import IMAGE_WIDTHS
from live.pulsar.functions_admin import FunctionFailed, FunctionsAdmin, FunctionSpec
from live.pulsar.standalone import PulsarFailed, Standalone

READY_SECONDS = 120.0


class Work(NamedTuple):
    """How functions process records; settings of `function_settings`."""

    receiver_queue: int
    guarantee: str
    hold: str
    image_width: int


def specs_of(application: Application, prefix: str, work: Work) -> list[FunctionSpec]:
    """Functions of an application on topics of their own, named by a prefix.

    application: Its functions have one source each, as `drawn_events` requires.
    """
    before = {name: source.name for source in application.sources for name in source.targets}
    before |= {end: f"{start}-out" for start, end in application.edges}
    return [
        FunctionSpec(
            f"{prefix}{name}",
            place,
            f"{prefix}{before[name]}",
            f"{prefix}{name}-out",
            work.receiver_queue,
            work.guarantee,
            work.hold,
            IMAGE_WIDTHS.get(name, 0) if work.image_width else 0,
        )
        for place, name in enumerate(application.functions)
    ]


@dataclass
class RealApplication:
    """Functions that run on a Pulsar; a context manager that creates and deletes them."""

    pulsar: Standalone
    specs: list[FunctionSpec]
    initial: list[int]
    admin: FunctionsAdmin = field(init=False)

    def __post_init__(self) -> None:
        self.admin = FunctionsAdmin(self.pulsar.admin_url, self.pulsar.token_file)

    def __enter__(self) -> RealApplication:
        for spec, count in zip(self.specs, self.initial, strict=True):
            self.admin.create(spec, self.pulsar.files.function, count)
        until = time.monotonic() + READY_SECONDS
        for spec, count in zip(self.specs, self.initial, strict=True):
            self._wait(spec.name, count, until)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        # After a failure, that of Pulsar must not take the place of its cause.
        with suppress(*[FunctionFailed] * (kind is not None)):
            for name in set(self.admin.names()) & {spec.name for spec in self.specs}:
                self.admin.delete(name)

    def _wait(self, name: str, instances: int, until: float) -> None:
        while self.admin.running(name) < instances:
            self.pulsar.check()
            if time.monotonic() > until:
                raise PulsarFailed(
                    f"the instances of {name} do not run in time (log: {self.pulsar.log})"
                )
            time.sleep(0.2)


def found(admin: FunctionsAdmin, specs: Sequence[FunctionSpec], known: Application) -> Application:
    """The application as Pulsar knows it: edges from the topics that functions read and write.

    specs: Of the functions, in their order.
    known: Gives sources and service rates, which Pulsar does not know.
    """
    names = {spec.name: name for spec, name in zip(specs, known.functions, strict=True)}
    ends = {name: admin.ends(spec_name) for spec_name, name in names.items()}
    edges = [
        (start, end)
        for start, (_, output) in ends.items()
        for end, (inputs, _) in ends.items()
        if output in inputs
    ]
    return check_application(*arguments_of(known, edges))


class Arguments(NamedTuple):
    """Arguments of `check_application`."""

    functions: Mapping[str, Mapping[str, float]]
    edges: list[tuple[str, str]]
    sources: Mapping[str, list[tuple[float, float]]]


def arguments_of(known: Application, edges: Sequence[tuple[str, str]]) -> Arguments:
    """What makes an application of these functions and sources, with other edges in between."""
    functions = {name: function._asdict() for name, function in known.functions.items()}
    sources = {source.name: [(s, rate) for s, rate in source.pieces] for source in known.sources}
    feeding = [(source.name, name) for source in known.sources for name in source.targets]
    outside = [(start, end) for start, end in feeding if start != end]
    return Arguments(functions, [*outside, *edges], sources)
