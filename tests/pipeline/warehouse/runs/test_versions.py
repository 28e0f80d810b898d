"""The version of the code: the gate requires exactly equal values if it is the same."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest

from pipeline.base.errors import InputError
from pipeline.reporting.regression.baseline_candidates import known_code
from pipeline.warehouse.runs import record

pytestmark = pytest.mark.unit

CHECKOUT = Path(record.__file__).parents[3] / ".git"


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(record.CODE, raising=False)


@pytest.fixture
def without_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


@pytest.mark.skipif(not CHECKOUT.exists(), reason="this is no checkout")
def test_git_tells_it() -> None:
    assert re.fullmatch(r"[0-9a-f]{12,40}(\+changes)?", record.versions()["code"])


@pytest.mark.parametrize("version", ["0123456789ab", "v1.2-3-gabcdef+changes"])
def test_a_container_is_told_it(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setenv(record.CODE, version)
    assert record.versions()["code"] == version


@pytest.mark.usefixtures("without_git")
@pytest.mark.parametrize("version", [None, "", "unknown"])
def test_where_nobody_knows_it_a_log_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, version: str | None
) -> None:
    if version is not None:
        monkeypatch.setenv(record.CODE, version)
    with caplog.at_level(logging.WARNING):
        code = record.versions()["code"]
    assert known_code(code) is None
    assert "set GROUPSCALE_CODE" in caplog.text


@pytest.mark.parametrize("version", ["a b", "-x", "é", "x" * 65, "a\nb"])
def test_what_is_no_version_is_refused(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setenv(record.CODE, version)
    with pytest.raises(InputError, match="`GROUPSCALE_CODE`"):
        record.versions()
