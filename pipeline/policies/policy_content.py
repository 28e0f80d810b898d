"""The content of a policy's file: a row of table `policies`, whole and of this version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import schemas
from pipeline.errors import InputError
from pipeline.policies.policy_weights import ENVIRONMENTS
from pipeline.text.quoting import shown
from pipeline.traces import files

MAX_BYTES = 200_000_000
"""Size of a file with a policy."""

KEYS = tuple(column.name for column in schemas.TABLES["policies"].columns)

SETTINGS_DIGEST = "settings_digest"
"""Key of the SHA-256 of the settings, hexadecimal."""


def text_of(row: Mapping[str, Any]) -> str:
    """A row of `policies` as the text of a file."""
    content = {name: row[name] for name in KEYS}
    content["settings"] = json.loads(row["settings"])
    content[SETTINGS_DIGEST] = _digest(content["settings"])
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def read(path: Path) -> dict[str, Any]:
    """Content of a policy's file, with all `KEYS` and unchanged settings.

    Raises
    ------
    InputError
        If the file is damaged; one line.
    """
    try:
        content = json.loads(files.read_text(path, MAX_BYTES))
    except (ValueError, RecursionError):
        raise InputError(f"{path}: not a policy file (not valid JSON); export it again") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: not a policy file (got {shown(content)}); export it again")
    missing = [key for key in (*KEYS, SETTINGS_DIGEST) if key not in content]
    if missing:
        raise InputError(f"{path}: `{missing[0]}` is missing; export the policy again")
    if content[SETTINGS_DIGEST] != _digest(content["settings"]):
        raise InputError(
            f"{path}: `settings` does not match `{SETTINGS_DIGEST}`: the policy is damaged; export "
            "it again"
        )
    return content


def check_environment(content: Mapping[str, Any], wanted: str) -> None:
    """Raise `InputError` if the policy is for an unknown environment, or not for the wanted one."""
    check(content, {"environment": ENVIRONMENTS})
    if content["environment"] != wanted:
        got = content["environment"]
        raise InputError(f"`environment` must be {wanted} here (got {got}); name another policy")


def check(content: Mapping[str, Any], expected: Mapping[str, Sequence[object]]) -> None:
    """Raise `InputError` if a value is none of those that are expected of its key."""
    for key, known in expected.items():
        if content[key] not in known or isinstance(content[key], bool):
            allowed = " or ".join(map(str, known))
            raise InputError(f"`{key}` must be {allowed} (got {shown(content[key])}); train again")


def _digest(settings: object) -> str:
    return hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()
