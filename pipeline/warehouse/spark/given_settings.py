"""Spark settings that the user gives in the environment; standard library alone."""

from __future__ import annotations

import json
from collections.abc import Mapping

from pipeline.base.errors import InputError

CONF = "GROUPSCALE_SPARK_CONF"
"""Variable with a JSON object of Spark settings."""

_OBJECT = """a JSON object of Spark settings, such as {"spark.driver.memory": "4g"}"""
_KINDS = {list: "a list", str: "a string", bool: "a boolean", type(None): "null"}


def given(env: Mapping[str, str]) -> dict[str, str]:
    """Settings in an environment; none if the variable is not set.

    Raises InputError if it is not a JSON object. The message never quotes it: settings may hold
        keys of an object store.
    """
    try:
        settings = json.loads(env.get(CONF, "{}"))
    except json.JSONDecodeError as error:
        raise InputError(f"`{CONF}` must be {_OBJECT} (not valid JSON: {error})") from error
    if not isinstance(settings, dict):
        kind = _KINDS.get(type(settings), "a number")
        raise InputError(f"`{CONF}` must be {_OBJECT} (got {kind})")
    return {str(key): str(value) for key, value in settings.items()}
