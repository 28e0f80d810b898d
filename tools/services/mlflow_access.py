"""Requests that MLflow's server refuses to all users, including its administrator.

MLflow calls `authorize` before every request except those for its health, its capabilities and the
files of its pages: `users` names it as the server's ``authorization_function``. MLflow itself
handles logins. In addition, the server

- creates no experiment with artifacts outside its own folder,
- opens no artifacts outside it either, whatever its database says: it would read and write them
  with the rights of its own user,
- runs no programs for its pages, and sends no requests to other machines: the list of language
  models that its pages ask for by themselves is empty,
- answers no request from a page that another program of this machine serves.
"""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from tools.services import mlflow_internals, mlflow_requests
from tools.services.service_topology import ADMIN

if TYPE_CHECKING:
    from flask import Request, Response
    from mlflow.store.artifact.local_artifact_repo import LocalArtifactRepository
    from werkzeug.datastructures import Authorization

OURS = "mlflow-artifacts:"
"""Scheme of the artifacts that the server keeps itself."""

CREATE_EXPERIMENT = "/mlflow/experiments/create"

OTHER_TRADES = re.compile(
    r"(/(ajax-)?api/\d+\.\d+)?(/mlflow)?/(assistant|demo|gateway|gateway-proxy|genai|jobs"
    r"|prompt-optimization|webhooks|(issues|scorer)/invoke|runs/create-promptlab-run)(/|$)"
)
"""Pages with which MLflow runs programs on its own machine, or sends requests to any address."""

MODELS, LISTING = "/ajax-api/2.0/mlflow/gateway-proxy", "api/2.0/endpoints"
"""Page of language models, and what MLflow's own pages ask it for to list them."""

OPENED = {"", "file", "runs", "models", "mlflow-artifacts"}
"""Schemes of artifacts that stay on this machine; the last three lead to one of the others."""


def users(database: str, password: str) -> str:
    """The settings of the server's users, as MLflow reads them.

    Only the administrator has permissions by default, and can grant them to others.

    database: Address of the database that keeps the users.
    """
    lines = {
        "default_permission": "NO_PERMISSIONS",
        "database_uri": database,
        "admin_username": ADMIN,
        "admin_password": password,
        "authorization_function": f"{__name__}:{authorize.__name__}",
        # Checking a password takes tens of milliseconds, and a run makes hundreds of requests.
        "auth_cache_ttl_seconds": "300",
    }
    escaped = (f"{name} = {value.replace('%', '%%')}\n" for name, value in lines.items())
    return "[mlflow]\n" + "".join(escaped)


def authorize() -> Authorization | Response:
    """User of a request, as for MLflow's own users, or the response that refuses it."""
    from flask import make_response, request
    from mlflow.server import auth
    from werkzeug.datastructures import Authorization

    _prepare()
    if not mlflow_requests.has_login(request):
        # MLflow fails on a token, and its database on a NUL.
        return auth.make_basic_auth_response()
    answer = auth.authenticate_request_basic_auth()
    if not isinstance(answer, Authorization):
        return answer
    if wrong := mlflow_requests.problem(request):
        return make_response({"error_code": "INVALID_PARAMETER_VALUE", "message": wrong}, 400)
    if refused := _refusal(request):
        return make_response({"error_code": "PERMISSION_DENIED", "message": refused}, 403)
    # A refusal would be a notice on MLflow's pages.
    return make_response({"endpoints": []}) if _lists_models(request) else answer


@functools.cache
def _prepare() -> None:
    """Set up, once before the first response, what MLflow has no settings for."""
    from mlflow.server import auth
    from mlflow.store.artifact import artifact_repository_registry as registry

    repositories: dict[str, Any] = registry.get_registered_artifact_repositories()
    for scheme in repositories.keys() - OPENED:
        repositories[scheme] = _refuse
    for scheme in ("", "file"):
        repositories[scheme] = _open
    password = str(auth.auth_config.admin_password)
    # MLflow only uses this password for a new user, and it is the one that the tasks have.
    if not auth.store.authenticate_user(ADMIN, password):
        auth.store.update_user(ADMIN, password=password)


def _refusal(request: Request) -> str | None:
    """Why the server refuses a request, None if it accepts it."""
    if OTHER_TRADES.match(request.path) and not _lists_models(request):
        return f"{request.path} is disabled: this server only stores runs"
    page = urlsplit(request.headers.get("Origin", ""))
    # MLflow itself refuses pages of other machines, but no page of this one.
    if page.hostname in ("localhost", "127.0.0.1", "::1") and page.netloc != request.host:
        return f"Origin {page.netloc} is not allowed: it is the page of another program"
    if request.path.endswith(CREATE_EXPERIMENT):
        is_known = mlflow_internals.is_known()
        return (
            _problem_of(mlflow_internals.artifact_location())
            if is_known
            else mlflow_internals.not_known()
        )
    return None


def _lists_models(request: Request) -> bool:
    asked = request.args.get("gateway_path", "").strip("/")
    return (request.method, request.path, asked) == ("GET", MODELS, LISTING)


def _problem_of(location: str) -> str | None:
    """Why an experiment cannot store its artifacts in a location; None if it can."""
    if not location:
        return None
    if location.startswith(OURS) and ".." not in unquote(unquote(location)):
        return None
    return (
        f"artifact_location must begin with {OURS} and must not contain `..` (got {location!r}); "
        "omit it to use the server's default"
    )


def _open(uri: str, **settings: Any) -> LocalArtifactRepository:
    """Open artifacts in a local folder that is the server's own or below it."""
    from mlflow.server.constants import ARTIFACTS_DESTINATION_ENV_VAR
    from mlflow.store.artifact.local_artifact_repo import LocalArtifactRepository

    own = LocalArtifactRepository(os.environ[ARTIFACTS_DESTINATION_ENV_VAR])
    asked = LocalArtifactRepository(uri, **settings)
    # Links are followed: the actual location of the files counts.
    if not Path(asked.artifact_dir).resolve().is_relative_to(Path(own.artifact_dir).resolve()):
        _refuse(uri)
    return asked


def _refuse(uri: str, **settings: Any) -> None:
    from mlflow.exceptions import MlflowException
    from mlflow.protos.databricks_pb2 import PERMISSION_DENIED

    message = f"cannot open artifacts at {uri!r}: this server only opens those in its own folder"
    raise MlflowException(message, PERMISSION_DENIED)
