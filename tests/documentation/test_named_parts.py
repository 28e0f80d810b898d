"""Pages that list all parts of a kind name each of them."""

from __future__ import annotations

import re

import pytest

from schemas import metrics, views
from tests import guides
from tools.layout import here

pytestmark = pytest.mark.unit


def page(name: str) -> str:
    return (here().root / "docs" / name).read_text()


ROOMS = (
    "algorithms",
    "live",
    "pipeline",
    *(f"pipeline/{room}" for room in ("base", "experiments", "inputs", "reporting", "warehouse")),
)


@pytest.mark.parametrize("folder", ROOMS)
def test_the_tree_names_every_room(folder: str) -> None:
    tree = guides.block("docs/architecture.md", "dags/ ")
    rooms = [file.parent.name for file in (here().root / folder).glob("*/__init__.py")]
    assert rooms != []
    assert [room for room in rooms if not re.search(rf"\b{room}\b", tree)] == []


def test_the_gates_page_names_every_metric_that_is_compared() -> None:
    gated = [item.name for item in metrics.ALL if item.gated]
    assert [name for name in gated if f"`{name}`" not in page("regression.md")] == []


def test_the_analysts_page_lists_views() -> None:
    listed = re.findall(r"^\| \[`(\w+)`\]", page("analyst.md"), re.MULTILINE)
    assert listed != []
    assert set(listed) <= set(views.VIEWS)
