"""Airflow's private interface, its purpose, and the version it was tested with.

Airflow 3.3 has a public function that registers a secret, but none that hides registered secrets in
a text. With another version the interface is not used: alerts then name no cause.
"""

from __future__ import annotations

from pipeline.base.process.tried_versions import is_tried

TRIED = {"apache-airflow-task-sdk": "1.3."}
"""Prefix of the versions that this module was tested with; 1.3 belongs to Airflow 3.3."""


def redacted(text: str) -> str | None:
    """Return a text without the secrets that Airflow knows; None if that cannot be done."""
    if not all(is_tried(package, prefix) for package, prefix in TRIED.items()):
        return None
    from airflow.sdk._shared.secrets_masker import redact

    return str(redact(text))
