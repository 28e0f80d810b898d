"""YAML of configuration files: only plain values, each with one meaning.

YAML 1.1, which PyYAML reads, takes ``010`` for eight, ``1:30`` for ninety and ``on`` for true. Here
values are those that YAML 1.2 shares with JSON: anything except null, ``true``, ``false`` and
decimal numbers is a text, and fields of other types refuse it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.resolver import BaseResolver

from pipeline.base.text import quoting

_TAG = "tag:yaml.org,2002:"
_MOST_DIGITS = 100
_TRUE = {"true", "True", "TRUE"}


class NotYaml(ValueError):
    """A text that is not YAML, or not only plain values; ``line`` is None if unknown."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line


class Lines(dict[str, Any]):
    """A mapping that stores the line of each of its keys."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: dict[str, int] = {}


def load(text: str) -> object:
    """Read one document; mappings are `Lines`.

    Raises NotYaml: Names the line and the kind of error, and quotes nothing.
    Raises RecursionError if it is nested too deeply.
    """
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark, said = error.problem_mark or error.context_mark, quoting.kind(error.problem or "")
    except yaml.YAMLError:
        mark, said = None, "forbidden character"
    raise NotYaml(f"not valid YAML ({said})", None if mark is None else mark.line + 1)


class _Loader(yaml.SafeLoader):
    """Loads only the types below; keys are texts, occur once and keep their lines."""


_Loader.yaml_implicit_resolvers = {}
_Loader.yaml_constructors = {}


def _float(text: str) -> float:
    """A number; also infinity and NaN, which Python writes without the dot."""
    return float(text if any(map(str.isdigit, text)) else text.replace(".", ""))


def _mapping(loader: _Loader, node: yaml.Node) -> Lines:
    if not isinstance(node, yaml.MappingNode):
        raise _problem("expected a mapping", node)
    mapping = Lines()
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            raise _problem("keys must be text", key_node)
        if key in mapping:
            raise _problem("duplicate key", key_node)
        mapping[key] = loader.construct_object(value_node, deep=True)
        mapping.lines[key] = key_node.start_mark.line + 1
    return mapping


def _problem(said: str, node: yaml.Node) -> ConstructorError:
    return ConstructorError(None, None, said, node.start_mark)


def _scalar(name: str, pattern: str, first: str, meant: Callable[[str], object], kind: str) -> None:
    """Give plain values that match a pattern and begin with one of some characters a type."""
    whole = re.compile(pattern, re.ASCII)

    def construct(loader: _Loader, node: yaml.ScalarNode) -> object:
        # A tag in the file says the type of any text.
        text = loader.construct_scalar(node)
        if not whole.fullmatch(text) or len(text) > _MOST_DIGITS:
            raise _problem(f"expected {kind} of at most {_MOST_DIGITS} characters", node)
        return meant(text)

    # PyYAML only matches the beginning.
    resolved = re.compile(rf"(?:{pattern})\Z", re.ASCII)
    _Loader.add_implicit_resolver(_TAG + name, resolved, [*first])
    _Loader.add_constructor(_TAG + name, construct)


_FLOAT = r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
_NOT_FINITE = r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"

_scalar("null", "~|null|Null|NULL|", "~nN", lambda text: None, "null")
_scalar("bool", "true|True|TRUE|false|False|FALSE", "tTfF", _TRUE.__contains__, "true or false")
_scalar("int", "[-+]?[0-9]+", "-+0123456789", int, "an integer")
# PyYAML takes the first type that matches: an integer is not tested for the next ones.
_scalar("float", f"{_FLOAT}|{_NOT_FINITE}", "-+.0123456789", _float, "a decimal number")
_Loader.yaml_implicit_resolvers[""] = _Loader.yaml_implicit_resolvers["~"]

_Loader.yaml_constructors |= {
    _TAG + "str": yaml.SafeLoader.construct_yaml_str,
    BaseResolver.DEFAULT_SEQUENCE_TAG: yaml.SafeLoader.construct_yaml_seq,
    BaseResolver.DEFAULT_MAPPING_TAG: _mapping,
    None: yaml.SafeLoader.construct_undefined,
}
