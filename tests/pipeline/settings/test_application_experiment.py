"""Experiments on applications: what they take, and what they refuse."""

from __future__ import annotations

from typing import Any

import pytest

from pipeline.base.errors import InputError
from pipeline.inputs.applications.policy_names import PUBLISHED
from pipeline.settings import load
from pipeline.settings.application_experiment import ApplicationExperiment
from pipeline.settings.run_config import RunConfig
from tests.schemas import tiny_applications

pytestmark = pytest.mark.unit

APPLICATION = {"functions": {"a": {"mu": 1.0}}, "edges": [], "sources": {"a": [[60, 0.5]]}}


def config(*sets: str) -> RunConfig:
    return load.resolve("applications", None, list(sets), [])


def test_the_preset_has_the_published_experiment_first() -> None:
    first, *others = config().applications
    assert first.is_published
    assert not any(one.is_published for one in others)
    assert all(set(PUBLISHED) <= set(one.policies) for one in (first, *others))


def test_a_configuration_is_read_again() -> None:
    run = config("replicates=2")
    assert RunConfig.from_json(run.to_json()) == run
    assert run.amount == f"{sum(len(one.policies) * 2 for one in run.applications)} simulations"


def test_an_application_as_a_mapping_is_the_same_as_its_text() -> None:
    one = ApplicationExperiment(name="a", application=APPLICATION)  # type: ignore[arg-type]
    assert one == ApplicationExperiment(name="a", application=one.application)
    assert one.described.checked.seconds == 60.0
    assert ApplicationExperiment(**tiny_applications.EXPERIMENT).described.text == (
        tiny_applications.APPLICATION
    )


def test_policies_have_one_spelling() -> None:
    one = ApplicationExperiment(name="a", policies="queueing_paths:alpha=0.50")  # type: ignore[arg-type]
    assert one.policies == ("queueing_paths:alpha=0.5",)


@pytest.mark.parametrize(
    ("settings", "field"),
    [
        (["application=movies"], "application"),
        (['application={"functions":{"a":{"mu":1}}}'], "application"),
        (["application=5"], "application"),
        (["policies=ds3"], "policies"),
        (["policies=ds2,ds2"], "policies"),
        (["policies=queueing_paths:alpha=2"], "policies"),
        (["policies=5"], "policies"),
        (["replicates=0"], "replicates"),
        (["replicates=1000", "decision_s=1"], "replicates"),
        (["decision_s=0"], "decision_s"),
        (["decision_s=0.001"], "decision_s"),
        (["spacing=even"], "spacing"),
        (["receiver_queue=-1"], "receiver_queue"),
        (["backlogs=[]"], "backlogs"),
        (["backlogs=[4,4]"], "backlogs"),
        (["receiver_queues=[0]"], "receiver_queues[0]"),
        (["receiver_queues=[8,8]"], "receiver_queues"),
    ],
)
def test_what_is_wrong_is_named(settings: list[str], field: str) -> None:
    with pytest.raises(InputError) as caught:
        config(*settings)
    assert f"`{field}`" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_application_keeps_what_it_says() -> None:
    content: dict[str, Any] = {**APPLICATION, "rates": {}}
    with pytest.raises(ValueError, match="alone"):
        ApplicationExperiment(name="a", application=content)  # type: ignore[arg-type]
