"""The simulation of a run on Pulsar, with what was measured in it."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.experiments.pulsar.evidence.service_times import ServiceTimes
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
