"""Policies in the registry of a real MLflow database: a version per run, whose file is usable."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pipeline.base.paths import Paths
from pipeline.experiments.learning.policies import attached_policies, policy_files
from pipeline.experiments.learning.tracking.agent_runs import tracked
from pipeline.inputs.policies import strategy_policies
from pipeline.reporting.tracking import client as tracking
from pipeline.reporting.tracking import registered_models
from pipeline.reporting.tracking.content import TrainedModel
from tests import guides, warehouse
from tests.pipeline.experiments.learning import broker_policy_rows, learning_cases
from tests.pipeline.inputs.policies import group_policy_rows

pytestmark = pytest.mark.slow

RUN = learning_cases.RUN
BROKERS = "groupscale.learning-smoke.learned.dqn.count.base"
GROUP = "groupscale.learning-smoke.grouped.dqn.late.action-delta"


@pytest.fixture
def uri(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'mlflow.db'}"


@pytest.fixture
def models(tmp_path: Path) -> list[TrainedModel]:
    """Two policies of a run: the other variant on brokers and the second seed are left out."""
    learned = {"run_id": RUN, "experiment": "learned", "reward": "count"}
    rows = [
        broker_policy_rows.row(**learned, variant="base"),
        broker_policy_rows.row(**learned, variant="batch=5"),
        broker_policy_rows.row(**learned, variant="base", seed=2),
        group_policy_rows.row(run_id=RUN, experiment="grouped"),
    ]
    place = warehouse.write_policies(Paths(tmp_path / "warehouse"), rows)
    learning = (
        SimpleNamespace(name="learned", variants=("base", "batch=5"), scales_group=False),
        SimpleNamespace(name="grouped", variants=("action=delta",), scales_group=True),
    )
    config = SimpleNamespace(preset="learning-smoke", learning=learning)
    ctx: Any = SimpleNamespace(run_id=RUN, paths=place, config=config)
    return attached_policies.attach(ctx, tmp_path)


def log(models: list[TrainedModel], uri: str, warehouse_id: str = "w") -> str:
    """Track the run and register its policies."""
    parent = tracking.log_run(tracked(learning_cases.grouped(), warehouse_id), None, uri)
    registered_models.register(parent, models, uri)
    return parent


def versions(uri: str, name: str) -> list[Any]:
    return list(tracking.connect(uri).search_model_versions(f"name = '{name}'"))


def downloaded(uri: str, name: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the example of the documentation gives."""
    import mlflow

    monkeypatch.setenv("MLFLOW_TRACKING_URI", uri)
    (one,) = versions(uri, name)
    example = guides.block("docs/mlflow.md", "folder = mlflow")
    place: dict[str, Any] = {"mlflow": mlflow}
    exec(example.replace("NAME/VERSION", f"{name}/{one.version}"), place)
    (file,) = Path(place["folder"]).glob("*.json")
    return file


def test_a_version_has_scores_and_leads_to_the_run(models: list[TrainedModel], uri: str) -> None:
    parent = log(models, uri)
    client = tracking.connect(uri)
    assert {one.name for one in client.search_registered_models()} == {BROKERS, GROUP}
    for model in models:
        (one,) = versions(uri, model.name)
        child = client.get_run(one.run_id)
        assert child.info.run_name == model.child
        assert child.data.tags["mlflow.parentRunId"] == parent
        assert one.tags["groupscale.run_id"] == RUN
        assert one.tags["groupscale.digest"] == model.digest
        assert one.tags["seed"] == "1"
    (brokers,) = versions(uri, BROKERS)
    assert float(brokers.tags["learning_share"]) == 0.5
    (group,) = versions(uri, GROUP)
    assert (group.tags["variant"], float(group.tags["regret"])) == ("action=delta", 0.25)


def test_versions_name_no_place_of_this_machine(
    models: list[TrainedModel], uri: str, tmp_path: Path
) -> None:
    log(models, uri)
    for model in models:
        (one,) = versions(uri, model.name)
        said = [one.source, one.description, model.description, *one.tags.values()]
        assert one.source.startswith("runs:/")
        assert not [words for words in said if str(tmp_path) in words]


def test_a_policy_comes_back_as_it_was_trained(
    models: list[TrainedModel], uri: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    log(models, uri)
    brokers = downloaded(uri, BROKERS, monkeypatch)
    assert policy_files.read(brokers).name == "dqn, count, base, seed 1"
    group = downloaded(uri, GROUP, monkeypatch)
    (candidate,) = strategy_policies.parse(f"dqn:{group}", 5, 100.0, 0.5)
    assert candidate.strategy == "dqn"
    assert [file.read_bytes() for file in (group, brokers)] == [
        model.file.read_bytes() for model in models
    ]


def test_a_run_has_one_version_however_often_it_is_registered(
    models: list[TrainedModel], uri: str
) -> None:
    parent = log(models, uri)
    (first,) = versions(uri, BROKERS)
    registered_models.register(parent, models, uri)
    (again,) = versions(uri, BROKERS)
    assert (again.version, again.run_id) == (first.version, first.run_id)
    client = tracking.connect(uri)
    client.set_registered_model_alias(BROKERS, "champion", first.version)
    # Tracked once more, in MLflow runs that replace the first ones.
    log(models, uri)
    (moved,) = versions(uri, BROKERS)
    assert moved.run_id != first.run_id
    assert client.get_run(first.run_id).info.lifecycle_stage == "deleted"
    assert client.get_model_version_by_alias(BROKERS, "champion").version == moved.version


def test_other_weights_get_no_alias_and_other_warehouses_keep_theirs(
    models: list[TrainedModel], uri: str
) -> None:
    from mlflow.exceptions import MlflowException

    log(models, uri)
    (first,) = versions(uri, BROKERS)
    client = tracking.connect(uri)
    client.set_registered_model_alias(BROKERS, "champion", first.version)
    log([model._replace(digest="f" * 64) for model in models], uri)
    (other,) = versions(uri, BROKERS)
    assert other.tags["groupscale.digest"] == "f" * 64
    with pytest.raises(MlflowException, match="champion"):
        client.get_model_version_by_alias(BROKERS, "champion")
    log(models, uri, "elsewhere")
    every = [one.tags for one in versions(uri, BROKERS)]
    kept = {tags["groupscale.warehouse"]: tags["groupscale.digest"] for tags in every}
    assert kept == {"w": "f" * 64, "elsewhere": models[1].digest}
