"""The content of a policy's file: a row of table `policies`, whole and of this version."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import schemas
from pipeline.base.errors import InputError
from pipeline.base.text.quoting import shown
from pipeline.inputs.policies.policy_weights import ENVIRONMENTS, VERSION
from pipeline.inputs.traces import files

MAX_BYTES = 200_000_000
"""Size of a file with a policy."""

KEYS = tuple(column.name for column in schemas.TABLES["policies"].columns)

FILE_DIGEST = "file_digest"
"""Key of the SHA-256 of all the rest, hexadecimal."""


def text_of(row: Mapping[str, Any]) -> str:
    """A row of `policies` as the text of a file."""
    content = {name: row[name] for name in KEYS}
    content["settings"] = json.loads(row["settings"])
    content[FILE_DIGEST] = _digest(content)
    return json.dumps(content, indent=1, sort_keys=True) + "\n"


def read(path: Path) -> dict[str, Any]:
    """Content with all `KEYS`. Raises InputError if it is damaged, or of another version."""
    try:
        content = json.loads(files.read_text(path, MAX_BYTES))
    except (ValueError, RecursionError):
        raise InputError(f"{path}: not a policy file (not valid JSON); export it again") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: not a policy file (got {shown(content)}); export it again")
    try:
        _check_whole(content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    except RecursionError:
        # It can be read, and is too deep to be written again for its digest.
        raise InputError(
            f"{path}: not a policy file (nested too deeply); export it again"
        ) from None
    return content


def _check_whole(content: Mapping[str, Any]) -> None:
    # The version is first: files of another one have other keys.
    if "format_version" in content:
        check(content, {"format_version": (VERSION,)})
    for key in (*KEYS, FILE_DIGEST):
        if key not in content:
            raise InputError(f"`{key}` is missing; export the policy again")
    rest = {key: value for key, value in content.items() if key != FILE_DIGEST}
    if content[FILE_DIGEST] != _digest(rest):
        raise InputError(
            f"the content does not match `{FILE_DIGEST}`: the policy is damaged or was changed; "
            "export it again"
        )


def check_environment(content: Mapping[str, Any], expected: str) -> None:
    """Raise `InputError` if the policy is for an unknown environment, or not for the wanted one."""
    check(content, {"environment": ENVIRONMENTS})
    if content["environment"] != expected:
        got = content["environment"]
        raise InputError(f"`environment` must be {expected} here (got {got}); name another policy")


def check(content: Mapping[str, Any], expected: Mapping[str, Sequence[object]]) -> None:
    """Raise `InputError` if a value is none of those that are expected of its key."""
    for key, choices in expected.items():
        if content[key] not in choices or isinstance(content[key], bool):
            allowed = f"{'one of ' * (len(choices) > 1)}{', '.join(map(str, choices))}"
            raise InputError(f"`{key}` must be {allowed} (got {shown(content[key])}); train again")


def _digest(content: object) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
