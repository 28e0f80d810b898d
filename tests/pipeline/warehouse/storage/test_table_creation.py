"""Creating a table that exists already, even since a moment ago, leaves it as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable
from deltalake.exceptions import CommitFailedError

import schemas
from pipeline.warehouse.storage import table_creation

pytestmark = pytest.mark.unit

SCORES = schemas.TABLES["scores"]


def create(place: Path) -> None:
    table_creation.create(None, str(place), SCORES)  # type: ignore[arg-type]


def test_a_table_that_exists_stays(tmp_path: Path) -> None:
    create(tmp_path / "scores")
    before = DeltaTable(tmp_path / "scores").metadata().id
    create(tmp_path / "scores")
    table = DeltaTable(tmp_path / "scores")
    assert (table.metadata().id, table.version()) == (before, 0)


@pytest.mark.parametrize("is_there", [True, False])
def test_another_process_may_create_it_at_the_same_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_there: bool
) -> None:
    complete = DeltaTable.create

    def too_late(place: str, schema: Any, **options: Any) -> None:
        if is_there:
            complete(place, schema, **options)
        raise CommitFailedError("the version exists")

    monkeypatch.setattr(DeltaTable, "create", too_late)
    if is_there:
        create(tmp_path / "scores")
    else:
        with pytest.raises(CommitFailedError):
            create(tmp_path / "scores")
