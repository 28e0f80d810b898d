"""Variables that blocks of our commands export have values that the program reads."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pipeline.settings import own_algorithms
from pipeline.warehouse.spark import given_settings
from tests import guides
from tests.documentation.test_recipes import bash
from tools.layout import here

pytestmark = pytest.mark.unit

CLUSTER, ALGORITHM = "docs/cluster.md", "docs/own-algorithm.md"


def exported(page: str, folder: Path) -> dict[str, str]:
    """The variables that a page exports, as a shell sets them."""
    code = guides.other_lines(
        next(e for e in guides.examples() if e.page == page and "export GROUPSCALE_" in e.code)
    )
    names = re.findall(r"\b(GROUPSCALE_\w+)=", code)
    values = bash(code + "".join(f'echo "${name}"\n' for name in names), folder).splitlines()
    return dict(zip(names, values, strict=True))


@pytest.mark.parametrize("page", [CLUSTER, ALGORITHM])
def test_variables_are_known(page: str, tmp_path: Path) -> None:
    configuration = (here().root / "docs" / "configuration.md").read_text()
    names = exported(page, tmp_path)
    assert names
    assert {name for name in names if f"`{name}`" not in configuration} == set()


def test_spark_settings_are_read(tmp_path: Path) -> None:
    settings = given_settings.given(exported(CLUSTER, tmp_path))
    assert settings.keys() == {"spark.driver.host", "spark.executor.memory"}


def test_the_module_of_the_page_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in exported(ALGORITHM, tmp_path).items():
        monkeypatch.setenv(name, value)
    (module,) = own_algorithms.allowed_in_airflow()
    assert f"{module}:assign" in (here().root / ALGORITHM).read_text()
