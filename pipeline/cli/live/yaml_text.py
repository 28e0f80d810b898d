"""YAML that people read: texts of several lines stay as they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import yaml


class _Dumper(yaml.SafeDumper):
    """Writes texts of several lines as blocks."""


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Dumper.add_representer(str, _text)


def documents(objects: Iterable[Mapping[str, Any]]) -> str:
    r"""Several documents, keys in their order.

    Examples
    --------
    >>> print(documents([{"b": "x\ny", "a": "1"}]), end="")
    b: |-
      x
      y
    a: '1'
    """
    text: str = yaml.dump_all(
        [dict(each) for each in objects], Dumper=_Dumper, sort_keys=False, default_flow_style=False
    )
    return text
