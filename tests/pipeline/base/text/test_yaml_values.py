"""Values of YAML: what each of them is, and what is refused."""

from __future__ import annotations

import math

import pytest

from pipeline.base.text import yaml_values

pytestmark = pytest.mark.unit


def value(text: str) -> object:
    mapping = yaml_values.load(f"a: {text}")
    assert isinstance(mapping, dict)
    return mapping["a"]


def refusal(text: str) -> yaml_values.NotYaml:
    with pytest.raises(yaml_values.NotYaml) as caught:
        yaml_values.load(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        # Octal in YAML 1.1, and in no other place where such a number could be given.
        ("010", 10),
        ("-007", -7),
        ("+5", 5),
        ("0", 0),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        (".5", 0.5),
        ("5.", 5.0),
        ("010.5", 10.5),
        ("-.inf", -math.inf),
        ("true", True),
        ("False", False),
        ("~", None),
        ("null", None),
        ("", None),
        ("!!int 010", 10),
        ("!!str 010", "010"),
        ("!!float 010", 10.0),
        ("'010'", "010"),
    ],
)
def test_a_number_is_decimal(text: str, meant: object) -> None:
    assert value(text) == meant
    assert type(value(text)) is type(meant)


@pytest.mark.parametrize(
    "text",
    [
        "1:30",
        "1:30.5",
        "0x10",
        "0o10",
        "0b1",
        "1_000",
        "1,000",
        "yes",
        "on",
        "n",
        "Off",
        "tRue",
        "2024-01-01",
        "2024-01-01T00:00:00Z",
        "<<",
        "=",
        "٣",
        "1e",
        "e1",
        ".",
        "--",
        "1.2.3",
        ".Nan",
    ],
)
def test_what_is_neither_number_nor_truth_is_a_text(text: str) -> None:
    assert value(text) == text


def test_what_is_no_number_is_one() -> None:
    number = value(".nan")
    assert isinstance(number, float)
    assert math.isnan(number)


@pytest.mark.parametrize(
    "text",
    [
        "!!int 1:30",
        "!!int 0x10",
        "!!float x",
        "!!bool yes",
        "!!null x",
        "!!int [1]",
        "!!map [1]",
        "!!seq {a: 1}",
        "!!binary aGVsbG8=",
        "!!timestamp 2024-01-01",
        "!!set {a}",
        "!mine x",
        "!!python/name:os.system x",
        "!!python/object/apply:os.system [id]",
        "9" * 5000,
        "*b",
    ],
)
def test_tags_give_no_other_types(text: str) -> None:
    assert refusal(f"\na: {text}").line == 2


def test_keys_are_texts_that_occur_once() -> None:
    assert "duplicate key" in str(refusal("a: 1\na: 2"))
    assert "duplicate key" in str(refusal("a: {b: 1, b: 2}"))
    for key in ("5", "true", "~", "[a]", "{a: b}"):
        assert "keys" in str(refusal(f"? {key}\n: 1"))


def test_nothing_is_merged() -> None:
    assert yaml_values.load("a: &x {b: 1}\nc: {<<: *x}") == {"a": {"b": 1}, "c": {"<<": {"b": 1}}}


def test_lines_of_keys_are_kept() -> None:
    mapping = yaml_values.load("a: 1\n\nb:\n  c: 2")
    assert isinstance(mapping, yaml_values.Lines)
    assert mapping.lines == {"a": 1, "b": 3}


def test_what_is_no_yaml_is_not_quoted() -> None:
    secret = "correct-horse-battery"
    for text in (f"a: *{secret}", f"a: !{secret} x", f"a: '{secret}", f"{secret}: {secret}: 1"):
        error = refusal(text)
        assert error.line == 1
        assert secret not in str(error)
        # Nor is it in what was the cause, which tracebacks show.
        assert error.__cause__ is None
        assert error.__context__ is None or error.__suppress_context__
    assert refusal("a: '\x01'").line is None
