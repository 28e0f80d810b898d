"""MLflow's private interface, its purpose, and the version it was tested with.

What the server checks must be what MLflow will read, in each form of a request that it accepts, and
MLflow has no public function that parses a request. With another version the interface is not used:
the server then creates no experiments.
"""

from __future__ import annotations

from typing import Any

from pipeline.base.process import tried_versions

PACKAGE, TRIED = "mlflow", "3.17."


def is_known() -> bool:
    """Whether the installed version of MLflow is one that was tested."""
    return tried_versions.is_tried(PACKAGE, TRIED)


def not_known() -> str:
    """Why the server creates no experiments with another version."""
    version = tried_versions.installed(PACKAGE)
    return (
        f"artifact_location cannot be checked with {PACKAGE} {version}: this server creates "
        f"experiments only with {PACKAGE} {TRIED}*"
    )


def artifact_location() -> str:
    """Artifact location of a new experiment, parsed as MLflow will parse it."""
    from mlflow.protos.service_pb2 import CreateExperiment
    from mlflow.server.handlers import _get_request_message

    asked: Any = _get_request_message(CreateExperiment())  # type: ignore[no-untyped-call]
    return str(asked.artifact_location)
