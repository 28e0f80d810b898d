"""The YAML that the product writes: it means the same to YAML 1.1 and 1.2, and to people.

Kubernetes reads ``name: 12e4`` as a number and ``topic: y`` as true; ``group: 1:30`` is ninety or a
text, which depends on the version of YAML. So texts are quoted unless they are words that no
version reads as anything else. All manifests are written here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import yaml

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*", re.ASCII)
"""What may stand without quotes, `_NOT_TEXTS` excepted: numbers and dates begin otherwise."""

_NOT_TEXTS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null", "inf", "nan"))
"""Words that some reader of YAML takes for a Boolean, null or a number, in lower case."""

_LINES = re.compile(r"[!-~][ -~]*(?:\n[ -~]*)*", re.ASCII)
"""Several lines that can be a block: printable, the first without a blank before it."""

_TEXT = "tag:yaml.org,2002:str"


class _Dumper(yaml.SafeDumper):
    """Quotes texts, writes several lines as blocks, and repeats what occurs twice."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write everything out: not every reader follows references."""
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar(_TEXT, text, style=_style(text))


def _style(text: str) -> str | None:
    """Style of a text; PyYAML writes double quotes where single ones or a block cannot hold it."""
    if "\n" in text:
        return "|" if _LINES.fullmatch(text) else '"'
    is_word = _WORD.fullmatch(text) and text.lower() not in _NOT_TEXTS
    return None if is_word else "'"


_Dumper.add_representer(str, _text)


def document(content: Mapping[str, Any]) -> str:
    """One document; see `documents`."""
    return documents([content])


def documents(objects: Iterable[Mapping[str, Any]]) -> str:
    r"""Several documents, keys in their order.

    objects: Mappings, lists, texts, numbers, Booleans and None, as in JSON.

    >>> print(documents([{"b": "x\ny", "a": "1", "c": "12e4", "d": "events"}]), end="")
    b: |-
      x
      y
    a: '1'
    c: '12e4'
    d: events
    """
    text: str = yaml.dump_all(
        [dict(each) for each in objects],
        Dumper=_Dumper,
        sort_keys=False,
        default_flow_style=False,
        width=float("inf"),
    )
    return text
