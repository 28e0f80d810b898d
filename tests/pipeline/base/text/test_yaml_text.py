"""What the product writes means the same to readers of YAML 1.1 and of YAML 1.2."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as some
from ruamel.yaml import YAML

from pipeline.base.text import yaml_text, yaml_values
from tests.pipeline.base.text.nasty_texts import TEXTS

pytestmark = pytest.mark.unit


def yaml_1_1(text: str) -> list[Any]:
    """As PyYAML reads it, and Kubernetes' own parser, but for its few types."""
    return list(yaml.safe_load_all(text))


def yaml_1_2(text: str) -> list[Any]:
    reader = YAML(typ="safe", pure=True)
    reader.version = (1, 2)
    return list(reader.load_all(io.StringIO(text)))


Reader = Callable[[str], list[Any]]
READERS = pytest.mark.parametrize("read", [yaml_1_1, yaml_1_2])


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [("12e4", "12e4", 12e4), ("0o17", "0o17", 15), ("010", 8, 10), ("1:30", 90, "1:30"),
     ("on", True, "on")],
)  # fmt: skip
def test_the_readers_differ(text: str, first: object, second: object) -> None:
    """Otherwise the tests below would say nothing."""
    assert (yaml_1_1(text), yaml_1_2(text)) == ([first], [second])


@READERS
@pytest.mark.parametrize("text", TEXTS, ids=[ascii(each)[:30] for each in TEXTS])
def test_texts_come_back_as_values_and_as_keys(read: Reader, text: str) -> None:
    content = {"first": {"name": text, "list": [text, {"in": text}]}, "keys": {text: 1, "z": text}}
    (value,) = read(yaml_text.document(content))
    assert value == content
    assert [type(each) for each in value["first"]["list"]] == [str, dict]


def test_there_are_hundreds_of_texts() -> None:
    assert len(TEXTS) > 250
    assert {"12e4", "0o17", "y", "n", "1_0e3", "+.5", "08", "0X1F", "~", "null"} <= set(TEXTS)


@READERS
@given(text=some.text(some.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_comes_back(read: Reader, text: str) -> None:
    content = {"a": text, "b": [text]}
    assert read(yaml_text.document(content)) == [content]


@READERS
def test_other_values_keep_their_types(read: Reader) -> None:
    content = {
        "numbers": [0, 1, -7, 2**31, 0.5, 1e16, 1e-7, 20_000_000.0],
        "others": [True, False, None, [], {}],
        "nested": {"list": [{"a": 1, "b": [1, 2]}]},
    }
    (value,) = read(yaml_text.document(content))
    assert value == content
    assert [type(each) for each in value["numbers"]] == [int] * 4 + [float] * 4


@READERS
def test_documents_follow_each_other(read: Reader) -> None:
    shared = {"app": "12e4"}
    several: list[dict[str, Any]] = [
        {"labels": shared, "same": shared},
        {"---": "...", "b": "---\n..."},
    ]
    text = yaml_text.documents(several)
    assert read(text) == several
    # Not every reader follows references.
    assert "&id" not in text


def test_our_own_reader_agrees() -> None:
    content = {"a": "12e4", "b": "y", "c": 12, "d": [0.5, True, None], "e": "x\ny\n"}
    assert yaml_values.load(yaml_text.document(content)) == content


def test_plain_words_stay_plain() -> None:
    content = {"apiVersion": "keda.sh/v1alpha1", "kind": "ScaledObject", "selectPolicy": "Max"}
    lines = ["apiVersion: keda.sh/v1alpha1", "kind: ScaledObject", "selectPolicy: Max"]
    assert yaml_text.document(content).splitlines() == lines
