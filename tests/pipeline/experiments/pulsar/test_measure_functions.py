"""The simulation of a run on Pulsar, with what was measured in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pipeline.base.errors import StageError
from pipeline.experiments.pulsar.evidence.service_times import ServiceTimes
from pipeline.experiments.pulsar.running.pulsar_folders import PulsarFolders
from pipeline.experiments.pulsar.stages import measure_functions
from pipeline.experiments.pulsar.stages.measure_functions import Case, cases, simulate
from pipeline.settings.pulsar_application import application_of
from pipeline.settings.pulsar_experiment import PulsarExperiment

pytestmark = pytest.mark.unit

EXPERIMENT = PulsarExperiment(
    name="x",
    graph="images",
    load_levels=(0.5,),
    piece_s=60.0,
    policies=("constant",),
    executors=("extended",),
)


def case() -> Case:
    (one,) = cases(EXPERIMENT, "extended", application_of(EXPERIMENT), 7)
    return one


def test_resizing_takes_as_long_as_measured() -> None:
    """The events stay; images reach `recognise` later by what `shrink` takes longer."""
    application = application_of(EXPERIMENT)
    path = application.longest
    drawn = simulate(case(), application, {})
    same = {name: ServiceTimes(9, 0.05, 0.0) for name in ("store", "shrink")}
    later = {**same, "shrink": ServiceTimes(9, 0.35, 0.0)}
    quick, slow = (simulate(case(), application, times) for times in (same, later))
    events = [int(one.responses.events[:, path].sum()) for one in (drawn, quick, slow)]
    assert events[0] == events[1] == events[2] > 30
    longer = slow.paths[path].mean - quick.paths[path].mean
    assert longer == pytest.approx(0.3, abs=0.15)
    assert drawn.paths[path].mean != quick.paths[path].mean


class NoPulsar:
    """A Pulsar that is not needed. What a killed run has left may not be in its way."""

    version = "4.0.7"

    def __init__(self, folder: Path, executor: str) -> None:
        self.folder = folder

    def __enter__(self) -> NoPulsar:
        self.folder.mkdir(parents=True)
        return self

    def __exit__(self, *error: object) -> None:
        """Its data stays, as after a kill."""


def test_a_repeated_experiment_goes_on_with_the_runs_it_lacks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sets = {"policies": ("constant", "ds2"), "replicates": 2, "executors": ("stock", "extended")}
    experiment = EXPERIMENT.model_copy(update=sets)
    folders = PulsarFolders(tmp_path, "settings-code")
    measured: list[str] = []
    limit = [5]

    def measure(pulsar: NoPulsar, scaled: object, folder: Path, prefix: str) -> None:
        if len(measured) == limit[0]:
            raise StageError("Pulsar has ended")
        folder.mkdir()
        measured.append(folder.name)

    monkeypatch.setattr(measure_functions, "Standalone", NoPulsar)
    monkeypatch.setattr(measure_functions.scaled_application, "run", measure)
    monkeypatch.setattr(
        measure_functions, "_rows", lambda case, application, folder, notes: (folder.name, notes)
    )
    with pytest.raises(StageError, match="has ended"):
        list(measure_functions._measured(experiment, 7, folders))
    limit[0] = 99
    rows = list(measure_functions._measured(experiment, 7, folders))
    assert len(measured) == len(set(measured)) == experiment.amount == 8
    assert [name for name, _ in rows] == measured
    assert all(notes["pulsar_version"] == "4.0.7" for _, notes in rows)


@pytest.mark.parametrize(("executor", "restarts"), [("stock", True), ("extended", False)])
def test_instances_stop_in_turn_as_on_pulsar(
    executor: str, restarts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With both executors; only the stock one restarts those that stay."""
    seen: list[dict[str, Any]] = []
    monkeypatch.setattr(
        measure_functions, "simulate_application", lambda *arguments: seen.append(arguments[-1])
    )
    simulate(case()._replace(executor=executor), application_of(EXPERIMENT), {})
    (settings,) = seen
    assert settings["in_turn"] is True
    assert settings["replace"] is restarts
