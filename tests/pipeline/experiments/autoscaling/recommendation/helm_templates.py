"""As much of Helm as the chart uses: fields, pipes, four functions, ``if``, trimmed actions."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

ACTION = re.compile(r"\{\{(- )?\s*(.*?)\s*( -)?\}\}", re.DOTALL)
WORD = re.compile(r'"([^"]*)"|(\S+)')


class Refused(Exception):
    """The template does not fit the values, or has what is not known here."""


def _required(message: str, value: Any) -> Any:
    if value in (None, ""):
        raise Refused(message)
    return value


def _indent(width: int, text: str) -> str:
    return " " * width + text.replace("\n", "\n" + " " * width)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "indent": _indent,
    "required": _required,
    "sha256sum": lambda text: hashlib.sha256(text.encode()).hexdigest(),
    "trunc": lambda length, text: text[:length],
}


def rendered(template: str, values: Mapping[str, Any], name: str, namespace: str) -> str:
    """The text of a template in a release."""
    scope = {"Values": values, "Release": {"Name": name, "Namespace": namespace}}
    text, shown, position, trimmed = "", [True], 0, False
    for action in ACTION.finditer(template):
        before = template[position : action.start()]
        before = before.lstrip() if trimmed else before
        text += (before.rstrip() if action[1] else before) if all(shown) else ""
        position, trimmed = action.end(), bool(action[3])
        words = action[2]
        if words == "end":
            shown.pop()
        elif words.startswith("if "):
            shown.append(bool(_piped(words.removeprefix("if "), scope)))
        elif all(shown):
            text += str(_piped(words, scope))
    if shown != [True]:
        raise Refused("an if without end")
    rest = template[position:]
    return text + (rest.lstrip() if trimmed else rest)


def _piped(text: str, scope: Mapping[str, Any]) -> Any:
    value: tuple[Any, ...] = ()
    for part in text.split("|"):
        words = [_value(match, scope) for match in WORD.finditer(part)]
        first, arguments = words[0], [*words[1:], *value]
        value = (first(*arguments) if callable(first) else first,)
    return value[0]


def _value(match: re.Match[str], scope: Mapping[str, Any]) -> Any:
    quoted, word = match.groups()
    if quoted is not None:
        return quoted
    if word.isdigit():
        return int(word)
    if word in FUNCTIONS:
        return FUNCTIONS[word]
    value: Any = scope
    for name in word.removeprefix(".").split("."):
        if not (word.startswith(".") and name in value):
            raise Refused(f"{word} is not known")
        value = value[name]
    return value
