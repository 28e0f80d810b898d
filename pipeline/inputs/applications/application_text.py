"""An application of several functions as users write it, and as one line of text."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.application_graph import Application, check_application
from algorithms.workloads.image_application import image_application
from pipeline.base.text.quoting import named, shown

PARTS = ("functions", "edges", "sources")
"""Keys of an application."""

IMAGES = "images"
"""The application of images that are stored, and shrunk and then recognized."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


class Described(NamedTuple):
    """A description, and what it describes."""

    functions: Mapping[str, Mapping[str, float]]
    edges: list[tuple[str, str]]
    sources: Mapping[str, list[tuple[float, float]]]
    """`functions`, `edges`, `sources`: arguments of
    `algorithms.simulation.simulate_application`."""
    checked: Application

    @property
    def text(self) -> str:
        """The description as JSON, which `parse` reads: equal for equal applications."""
        parts = {name: getattr(self, name) for name in PARTS}
        return json.dumps(parts, ensure_ascii=False, allow_nan=False)


def describe(content: Mapping[str, Any]) -> Described:
    """Check a mapping with `PARTS`, of which ``edges`` may be missing.

    Raises InvalidParameterError, whose message begins with the part.
    """
    for part in ("functions", "sources"):
        if part not in content:
            raise InvalidParameterError(
                f"{part} must name at least one {part.removesuffix('s')} (got none); add {part}"
            )
    for part in ("functions", "sources"):
        _check_names(part, content[part])
    edges = [] if content.get("edges") is None else content["edges"]
    checked = check_application(content["functions"], edges, content["sources"])
    _check_fed(checked)
    return Described(
        {name: dict(fields) for name, fields in content["functions"].items()},
        [(start, end) for start, end in edges],
        {source.name: [(p.seconds, p.rate) for p in source.pieces] for source in checked.sources},
        checked,
    )


def _check_names(part: str, mapping: object) -> None:
    """Check that names can be read in tables and figures; other mistakes are found later."""
    for name in mapping if isinstance(mapping, Mapping) else ():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InvalidParameterError(
                f"{part} must have names of 1 to 40 letters, digits, hyphens or underscores that "
                f"start with a letter (got {named(name)}); rename it"
            )


def _check_fed(application: Application) -> None:
    """Check that all functions get events: others would count as idle instances."""
    fed = {name for path in application.paths for name in path}
    for name in application.functions:
        if name not in fed:
            raise InvalidParameterError(
                f"functions[{name!r}] must get events from a source or another function (got "
                "none); add an edge or a source, or remove it"
            )


@lru_cache(maxsize=64)
def parse(text: str) -> Described:
    """The application of a text: `IMAGES`, or one that `Described.text` wrote."""
    if text == IMAGES:
        return describe(image_application()._asdict())
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, dict):
        raise InvalidParameterError(
            f"application must be {IMAGES}, or a mapping with {', '.join(PARTS)} (got "
            f"{shown(text)})"
        )
    return describe_only(content)


def describe_only(content: Mapping[str, Any]) -> Described:
    """As `describe`, for a mapping that has nothing else."""
    for key in content:
        if key not in PARTS:
            raise InvalidParameterError(
                f"application must have {', '.join(PARTS)} alone (got {named(key)}); remove it"
            )
    return describe(content)
