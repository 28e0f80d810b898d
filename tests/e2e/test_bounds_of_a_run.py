"""A run with proved bounds from end to end: the same bits on one core and on two."""

from __future__ import annotations

from pathlib import Path

import pytest
from pandas.testing import assert_frame_equal

from tests.e2e.conftest import SMALL, Start, settings
from tests.e2e.run_tables import DATA_TABLES, rows, statuses

pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.slow]

ASKED = (
    *("algorithms=MWF,BFD,kd_2", "partitions=12", "deltas=25", "replicates=2"),
    *("bound_iterations=2", "bound_seconds=1"),
)


def test_bounds_are_the_same_on_any_number_of_cores(start: Start, tmp_path: Path) -> None:
    run = ("run", "--preset", "smoke", *settings(*SMALL, *ASKED), "--run-id", "bounded")
    places = {f"local[{n}]": tmp_path / str(n) for n in (1, 2)}
    for master, place in places.items():
        process = start(*run, "--warehouse", str(place), master=master)
        said, _ = process.communicate(timeout=420)
        assert process.returncode == 0, said
        assert statuses(place) == {"bounded": "published"}
    one, two = places.values()
    found = rows(one, "bounds", "bounded")
    assert set(found.kind) == {"consumers", "rscore"}
    assert "seconds" not in found
    for table in DATA_TABLES:
        first, second = (rows(place, table, "bounded") for place in (one, two))
        assert_frame_equal(first, second, check_exact=True)
    page = (one / "reports" / "bounded" / "report.html").read_text()
    assert '<section id="bounds">' in page


def test_a_time_limit_of_zero_is_refused_before_anything_is_written(
    start: Start, tmp_path: Path
) -> None:
    place = tmp_path / "warehouse"
    asked = settings("bound_iterations=2", "bound_seconds=0")
    process = start("run", "--preset", "smoke", *asked, "--warehouse", str(place))
    said, _ = process.communicate(timeout=120)
    assert process.returncode == 2, said
    message = " ".join(said.split())
    assert "`bound_seconds`" in message
    assert not place.exists()
