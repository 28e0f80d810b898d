"""Algorithms from a user's own module, ``package.module:function``: import, trial and record.

To import a module is to run its code. So only folders that are named are searched, which excludes
the current one. On the command line the code is the user's own. A task of Airflow
runs with the permissions of the service, and anyone who can trigger a DAG run sets its algorithms:
there only modules of `MODULES` are imported.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.base.errors import InputError
from pipeline.base.process import import_path
from pipeline.base.text.quoting import shown
from pipeline.settings.run_config import RunConfig
from pipeline.settings.settings import IMPORT_KEY, Layer

MODULES = "GROUPSCALE_ALGORITHM_MODULES"
"""Variable with the modules or packages that Airflow's tasks may import, separated by commas."""

PREFIX = "module "
"""Prefix of a module in the versions of a run."""

_DIGITS, _UNKNOWN = 16, "unknown"


def allowed_in_airflow() -> tuple[str, ...]:
    """Modules and packages that the operator allows in tasks of Airflow."""
    return tuple(filter(None, (name.strip() for name in os.environ.get(MODULES, "").split(","))))


def check(layer: Layer, allowed: Sequence[str] | None = None) -> None:
    """Import and try the own algorithms that settings name.

    layer: Settings of an experiment on assignment.
    allowed: Modules and packages that may be imported; None for any.
    Raises InputError if a function cannot be imported or called, or breaks the contract in a small
        trial.
    """
    setting = layer.get("algorithms")
    if setting is None:
        return
    values = setting.value if isinstance(setting.value, list | tuple) else [setting.value]
    for name in (value.strip() for value in values if isinstance(value, str)):
        if ":" in name and _is_own(name):
            _check(name, f"{setting.origin}: `algorithms`: ", allowed)


def use_folders(layer: Layer, allowed: Sequence[str] | None) -> None:
    """Import own algorithms from the folders that settings name, ``import_path``, if any.

    allowed: As for `check`. Where modules are restricted, so are folders: the operator names them.
    Raises InputError if the value is no list of folders, or may not be set here.
    """
    setting = layer.get(IMPORT_KEY)
    if setting is None:
        return
    if allowed is not None:
        raise InputError(
            f"{setting.origin}: `{IMPORT_KEY}` cannot be set in Airflow; set {import_path.FOLDERS} "
            "in the environment of its services"
        )
    values = setting.value if isinstance(setting.value, list | tuple) else [setting.value]
    if not all(isinstance(value, str) for value in values):
        raise InputError(
            f"{setting.origin}: `{IMPORT_KEY}` must be a folder or a list of folders, such as ."
        )
    name_folders([Path(value) for value in values], f"{setting.origin}: `{IMPORT_KEY}`")


def name_folders(folders: Sequence[Path], origin: str = "--import-path") -> None:
    """Import own algorithms from folders, also in started processes; InputError if one is none."""
    for folder in folders:
        if "\0" in str(folder) or os.pathsep in str(folder) or not folder.is_dir():
            raise InputError(
                f"{origin} must be a folder that exists, without {os.pathsep!r} in its name "
                f"(got {shown(str(folder))})"
            )
    import_path.extend(*(str(folder.absolute()) for folder in folders))


def check_name(name: str, origin: str) -> None:
    """Import and try an algorithm if it is an own one; as `check`."""
    if _is_own(name):
        _check(name, origin, None)


def digests(config: RunConfig) -> Mapping[str, str]:
    """SHA-256 of the source of each own module of a run, the first 16 digits, by version's name."""
    names = {name for one in config.experiments for name in one.algorithms if _is_own(name)}
    return {f"{PREFIX}{name.partition(':')[0]}": _digest(name) for name in sorted(names)}


def code(versions: Mapping[str, str], revision: str | None) -> str | None:
    """Version of all code, with that of the project's own; None if it is not known."""
    own = [version for name, version in sorted(versions.items()) if name.startswith(PREFIX)]
    unknown = revision is None or _UNKNOWN in own
    return None if unknown else " ".join([str(revision), *own])


def _is_own(name: str) -> bool:
    from algorithms.assignment import parametric_names

    return parametric_names.is_own(name)


def _check(name: str, origin: str, allowed: Sequence[str] | None) -> None:
    from algorithms.core.input_errors import OwnFunctionError

    module = name.partition(":")[0]
    if allowed is not None and not any(f"{module}.".startswith(f"{one}.") for one in allowed):
        raise InputError(
            f"{origin}{name}: Airflow may not import {module}; add it to {MODULES} in the "
            "environment of Airflow's services"
        )
    import_path.extend()
    from algorithms.assignment import own_function

    try:
        own_function.check(name)
    except OwnFunctionError as error:
        raise InputError(f"{origin}{error}; see docs/own-algorithm.md") from None


def _digest(name: str) -> str:
    from algorithms.assignment import own_function

    text = own_function.source(name)
    return _UNKNOWN if text is None else hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
