"""Files with an application, the policies that scale it, and settings."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

from algorithms.core.input_errors import InvalidParameterError, near
from algorithms.core.setting import declared
from algorithms.simulation import ApplicationResult, simulate_application
from algorithms.simulation.application_settings import ApplicationSettings, check_settings
from pipeline.base.errors import InputError
from pipeline.base.limits import MAX_CONFIG_BYTES
from pipeline.base.text import quoting, yaml_values
from pipeline.base.text.quoting import shown
from pipeline.inputs.applications import application_text, policy_names
from pipeline.inputs.applications.application_text import PARTS, Described
from pipeline.inputs.applications.policy_names import COMPARED, Policy
from pipeline.inputs.traces import files

KEYS = (*PARTS, "policies", "settings")
"""Keys of a file."""

SETTINGS = tuple(declared(ApplicationSettings))
"""Keys of its settings."""

_PLACE = re.compile(r"(\w+)(?:\['([^']*)'\])?")


class ApplicationFile(NamedTuple):
    """What a file says, checked."""

    application: Described
    policies: list[Policy]
    settings: ApplicationSettings

    def simulate(self, policy: Policy) -> ApplicationResult:
        """Simulate one of its policies."""
        functions, edges, sources, _ = self.application
        return simulate_application(
            functions, edges, sources, policy.name, policy.arguments, asdict(self.settings)
        )


def read(
    path: Path, policies: Sequence[str] | None = None, settings: Mapping[str, Any] | None = None
) -> ApplicationFile:
    """Read a YAML or JSON file.

    policies: Take the place of those in the file, if there are any.
    settings: Take precedence over those in the file.
    Raises InputError, which names the file and where possible the line.
    """
    content = _content(path)
    try:
        application = application_text.describe(content)
        own = {} if content.get("settings") is None else content["settings"]
        merged = {**own, **(settings or {})} if isinstance(own, dict) else own
        checked = check_settings(merged, application.checked.seconds)
        texts = list(policies) if policies else _listed(content.get("policies", COMPARED))
        parsed = policy_names.parse(texts)
        policy_names.check(parsed, application.checked, checked.r_max)
    except InvalidParameterError as error:
        raise InputError(f"{path}{_line(content, str(error))}: {error}") from None
    return ApplicationFile(application, parsed, checked)


def from_options(options: Sequence[str]) -> dict[str, Any]:
    """Settings of ``--set KEY=VALUE``; the last value of a key counts.

    Raises InputError if an option has another form or an unknown key.
    """
    settings: dict[str, Any] = {}
    for option in options:
        key, sign, text = (part.strip() for part in option.partition("="))
        if not (key and sign and text):
            raise InputError(f"--set {option}: must have the form KEY=VALUE, such as --set r_max=2")
        if key not in SETTINGS:
            guess = near(key, SETTINGS) or f"; must be one of {', '.join(SETTINGS)}"
            raise InputError(f"--set {option}: unknown key{guess}")
        try:
            value = json.loads(text)
        except ValueError:
            value = text
        try:
            settings[key] = declared(ApplicationSettings)[key].check(value)
        except InvalidParameterError as error:
            raise InputError(f"--set {option}: {error}") from None
    return settings


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else [value]


def _content(path: Path) -> dict[str, Any]:
    text = files.read_text(path, MAX_CONFIG_BYTES)
    try:
        content = yaml_values.load(text)
    except yaml_values.NotYaml as error:
        where = str(path) if error.line is None else f"{path}:{error.line}"
        raise InputError(f"{where}: {error}") from None
    except RecursionError:
        raise InputError(f"{path}: nested too deeply") from None
    if not isinstance(content, dict):
        raise InputError(
            f"{path}: must be a mapping with {', '.join(KEYS)} (got {shown(content)}); "
            "see docs/applications.md"
        )
    for key in content:
        if key not in KEYS:
            guess = near(key, KEYS) if quoting.key(key, KEYS) != "key" else ""
            raise InputError(
                f"{path}{_line(content, key)}: unknown {quoting.key(key, KEYS)}"
                f"{guess or '; must be one of ' + ', '.join(KEYS)}"
            )
    return content


def _line(content: Mapping[str, Any], message: str) -> str:
    """The line of the key that a message begins with, after a colon; empty if unknown."""
    match = _PLACE.match(message)
    if match is None or not isinstance(content, yaml_values.Lines):
        return ""
    key, inner = match.groups()
    part = content.get(key)
    if inner is not None and isinstance(part, yaml_values.Lines) and inner in part.lines:
        return f":{part.lines[inner]}"
    settings = content.get("settings")
    if key not in content.lines and isinstance(settings, yaml_values.Lines):
        return f":{settings.lines[key]}" if key in settings.lines else ""
    return f":{content.lines[key]}" if key in content.lines else ""
