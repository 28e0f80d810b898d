"""Pages that list all parts of a kind name each of them."""

from __future__ import annotations

import pytest

from schemas import metrics, views
from tools.layout import here

pytestmark = pytest.mark.unit


def page(name: str) -> str:
    return (here().root / "docs" / name).read_text()


def test_the_gates_page_names_every_metric_that_is_compared() -> None:
    gated = [item.name for item in metrics.ALL if item.gated]
    assert [name for name in gated if f"`{name}`" not in page("regression.md")] == []


def test_the_analysts_page_lists_every_view() -> None:
    text = page("analyst.md")
    assert [name for name in views.VIEWS if f"| [`{name}`]" not in text] == []
