"""Trained policies in MLflow's registry: a model per agent, and a version per run.

A version is the policy's own file, an artifact of the agent's MLflow run: no code is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pipeline.reporting.tracking import client
from pipeline.reporting.tracking.content import (
    DIGEST,
    PARENT_ID,
    RUN_ID,
    WAREHOUSE,
    TrainedModel,
)

if TYPE_CHECKING:
    from mlflow import MlflowClient
    from mlflow.entities import Run
    from mlflow.entities.model_registry import ModelVersion

FOLDER = "policy"
"""Folder of the file among the artifacts of a run."""

COPIED = (RUN_ID, WAREHOUSE)
"""Tags of the MLflow run that a version has too."""


def register(
    mlflow_run_id: str, models: Sequence[TrainedModel], tracking_uri: str | None = None
) -> None:
    """Register the models of a parent run; what is registered already stays.

    If the run was logged again, a version for its new MLflow run replaces the earlier one.
    """
    registry = client.connect(tracking_uri)
    parent = registry.get_run(mlflow_run_id)
    own = f"tags.`{PARENT_ID}` = '{mlflow_run_id}'"
    children = registry.search_runs([parent.info.experiment_id], own, max_results=client.PAGE)
    named = {run.info.run_name: run for run in children}
    for model in models:
        # An agent without scores has no run of its own.
        _register(registry, named.get(model.child, parent), model)


def _register(registry: MlflowClient, run: Run, model: TrainedModel) -> None:
    _make(registry, model)
    earlier = _versions(registry, model.name, run)
    current = next((one for one in earlier if _is_of(one, run, model)), None)
    if current is None:
        current = _new_version(registry, run, model)
    for one in earlier:
        if one.version != current.version:
            _replace(registry, one, current)


def _make(registry: MlflowClient, model: TrainedModel) -> None:
    """Make the registered model if it does not exist."""
    from mlflow.exceptions import MlflowException

    try:
        registry.create_registered_model(model.name, description=model.description)
    except MlflowException as error:
        if error.error_code != "RESOURCE_ALREADY_EXISTS":
            raise


def _versions(registry: MlflowClient, name: str, run: Run) -> list[ModelVersion]:
    """Versions that an earlier log of the same run of the pipeline made, or this one."""
    versions = registry.search_model_versions(f"name = '{name}'")
    return [
        registry.get_model_version(name, one.version)  # with its aliases
        for one in versions
        if all(one.tags.get(tag) == run.data.tags.get(tag) for tag in COPIED)
    ]


def _is_of(version: ModelVersion, run: Run, model: TrainedModel) -> bool:
    return bool(version.run_id == run.info.run_id and version.tags.get(DIGEST) == model.digest)


def _new_version(registry: MlflowClient, run: Run, model: TrainedModel) -> ModelVersion:
    run_id = run.info.run_id
    registry.log_artifact(run_id, str(model.file), FOLDER)
    # Steps of curves have a dot in their names.
    scores = {key: f"{value:.6g}" for key, value in run.data.metrics.items() if "." not in key}
    tags: dict[str, Any] = {tag: run.data.tags[tag] for tag in COPIED if tag in run.data.tags}
    return registry.create_model_version(
        model.name,
        f"runs:/{run_id}/{FOLDER}",
        run_id,
        tags={**tags, **model.tags, **scores, DIGEST: model.digest},
        description=model.version,
    )


def _replace(registry: MlflowClient, old: ModelVersion, new: ModelVersion) -> None:
    """Delete a version; aliases follow the same weights."""
    if old.tags.get(DIGEST) == new.tags.get(DIGEST):
        for alias in old.aliases:
            registry.set_registered_model_alias(new.name, alias, str(new.version))
    registry.delete_model_version(old.name, str(old.version))
