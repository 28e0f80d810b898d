"""Names of users cannot change a query."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import InputError
from pipeline.inputs.prometheus import promql

pytestmark = pytest.mark.unit

NAMES = st.text(st.characters(codec="utf-8"), max_size=30)


def plain(text: str) -> str:
    """What a string of PromQL stands for."""
    assert text[0] == text[-1] == '"'
    escapes = {"n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda m: escapes.get(m[1], m[1]), text[1:-1], flags=re.DOTALL)


@given(NAMES)
def test_a_string_ends_where_it_ends(name: str) -> None:
    text = promql.string(name)
    assert plain(text) == name
    assert re.fullmatch(r'"([^"\\\n]|\\[\\"nr])*"', text)


@given(st.lists(NAMES, min_size=2, max_size=4), NAMES)
def test_a_choice_has_these_names_only(names: list[str], other: str) -> None:
    text = promql.selector("m", {"topic": names})
    pattern = plain(text.removeprefix("m{topic=~").removesuffix("}"))
    for name in names:
        assert re.fullmatch(pattern, name)
    assert other in names or not re.fullmatch(pattern, other)


def test_queries_of_users_stay_values() -> None:
    text = promql.selector("lag", {"group": ['x"} or vector(1) or lag{g="']})
    assert text == r'lag{group="x\"} or vector(1) or lag{g=\""}'


@pytest.mark.parametrize("name", ["", "1a", "a-b", "a{b}", "a b", "ä", "a" * 256])
def test_a_metric_is_a_name(name: str) -> None:
    with pytest.raises(InputError, match="--metric must be the name of a metric"):
        promql.check_metric(name)


@pytest.mark.parametrize("text", ["cluster", "=a", "a-b=c", 'a="x"}=y{'[2:]])
def test_a_label_has_a_name_and_a_value(text: str) -> None:
    with pytest.raises(InputError, match="--label must be NAME=VALUE"):
        promql.matcher(text)
    assert promql.matcher("cluster=a=b") == ("cluster", "a=b")
