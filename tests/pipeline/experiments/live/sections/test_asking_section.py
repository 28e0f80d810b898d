"""The section on groups whose assignor asks, and its figures, from rows of tables."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import pytest

from pipeline.experiments.live.results.live_study import Study, studies
from pipeline.experiments.live.sections.asking_section import TITLE, asking
from pipeline.experiments.live.sections.figures import ASKING_FIGURES
from pipeline.experiments.live.sections.live_page import build
from pipeline.reporting.drawing.figure import Figure
from pipeline.reporting.sections import numbers
from tests.pipeline.experiments.live import live_cases
from tests.pipeline.reporting.sections import drawn_charts
from tests.sentence_facts import facts_in

pytestmark = [pytest.mark.unit, pytest.mark.slow]

SECONDS = 40
ASKING = ("asking:least_loaded_2", "asking:linear:assignor=range")

SERVICE = {
    # Measured and simulated, by quantity.
    ASKING[0]: {"sla_percent": (97.25, 98.5), "replica_minutes": (2.0, 1.5), "peak_s": (3.0, 0.75)},
    ASKING[1]: {"sla_percent": (90.0, 99.0), "replica_minutes": (1.5, 1.5), "peak_s": (4.0, 0.5)},
}
SECOND = np.arange(1, SECONDS + 1)


@cache
def study() -> Study:
    """The small run, whose strategies are groups that ask."""
    small = live_cases.small(heartbeat_s=0.5, arrivals="drift", record_bytes=1200)
    renamed = dict(zip(("MWF", "kd_1"), ASKING, strict=True))
    tables = {
        name: rows.assign(strategy=rows["strategy"].replace(renamed))
        for name, rows in small.tables.items()
        if "strategy" in rows
    }
    config = small.config
    config["live"][0]["strategies"] = list(ASKING)
    over_time = pd.concat(map(_over_time, ASKING), ignore_index=True)
    agreement = pd.concat([tables["live_agreement"], *map(_service, ASKING)], ignore_index=True)
    run = {**small.run, "config": config}
    results = type(small)({**small.tables, **tables}, run, small.states).with_tables(
        live_agreement=agreement,
        lag_by_second=over_time,
        load_by_consumer=_loads(),
        live_courses=_courses(ASKING[0]),
    )
    assert TITLE in build(results)
    (one,) = studies(results)
    return one


def _service(strategy: str) -> pd.DataFrame:
    rows = [
        {"quantity": name, "measured": measured, "predicted_a": predicted, "verdict": None}
        for name, (measured, predicted) in SERVICE[strategy].items()
    ]
    placed = live_cases.small()["live_agreement"].iloc[[0]][["run_id", "experiment", "stream_id"]]
    return pd.DataFrame(rows).assign(strategy=strategy).merge(placed, how="cross")


def _over_time(strategy: str) -> pd.DataFrame:
    longest = np.where(SECOND % 10 == 0, np.nan, 0.1)
    longest[SECOND <= 7] = 0.5
    longest[SECOND > 35] = 2.5
    return pd.DataFrame(
        {
            "experiment": "brokered",
            "strategy": strategy,
            "second": SECOND,
            "lag": 0,
            "consumers": 1 + (SECOND > 20),
            "speed": 120_000.0,
            "longest_s": longest,
        }
    )


def _courses(strategy: str) -> pd.DataFrame:
    """One consumer more in the first half, and one late second; not in the second stream."""
    first = pd.DataFrame({"second": SECOND, "consumers": 1 + (SECOND <= 20), "longest_s": 0.1})
    first.loc[4, "longest_s"] = 1.25
    other = first.assign(stream_id="z", consumers=9)
    rows = pd.concat([first.assign(stream_id="a"), other])
    return rows.assign(experiment="brokered", strategy=strategy)


def _loads() -> pd.DataFrame:
    """The second consumer is there in the second half."""
    first = pd.DataFrame({"second": SECOND, "owner": 0, "speed": 120_000.0})
    second = pd.DataFrame({"second": SECOND[20:], "owner": 3, "speed": 60_000.0})
    return pd.concat([first, second]).assign(experiment="brokered", strategy=ASKING[0])


def test_simulated_values_stand_below_measured_ones() -> None:
    (table,) = asking(study()).tables
    written = {
        row.name: [field.write(row.values) for field in table.fields[:3]] for row in table.rows
    }
    assert list(written) == list(ASKING)
    assert [cell.text for cell in written[ASKING[0]]] == ["97.25", "2.00", f"3.00{numbers.SPACE}s"]
    assert [cell.below[0] for cell in written[ASKING[0]]] == [
        *("A 98.50", "A 1.50", f"A 0.750{numbers.SPACE}s"),
    ]


def test_the_sentence_names_the_setting_and_the_greatest_distance() -> None:
    (sentence,) = asking(study()).answer
    words = sentence.replace(numbers.SPACE, " ")
    assert "heartbeat is 0.5 s" in words
    assert f"furthest apart with {ASKING[1]}: 99.0 and 90.0 %." in words


def test_the_sentence_names_hashed_keys() -> None:
    words = "in bursts, each a second after the one before was sent"
    hashed = study()._replace(setting={**study().setting, "keys": "hashed"})
    for one, keys in ((study(), ""), (hashed, " with hashed keys")):
        (sentence,) = asking(one).answer
        assert sentence.startswith(f"Records arrive {words}{keys}, members' heartbeat is ")


def test_other_experiments_have_no_such_section() -> None:
    (other,) = studies(live_cases.small())
    assert not asking(other).tables
    assert all(draw(other, 1) is None for draw in ASKING_FIGURES)


@cache
def drawn() -> dict[str, Figure]:
    figures = drawn_charts.drawn(ASKING_FIGURES, study())
    return {one.name.rstrip("-0123456789"): one for one in figures if isinstance(one, Figure)}


FACTS: dict[str, list[list[str]]] = {
    "asked-group": [
        *([name, "measured", "1", "2", "5", f"{SECONDS}", "1 s", "2.50 s"] for name in ASKING),
        [ASKING[0], "simulated", "1", "2", "1", f"{SECONDS}", "1 s", "1.25 s"],
    ],
    "asked-members": [
        ["Consumer 0", f"{SECONDS}", f"{SECONDS}", "100"],
        ["Consumer 3", "20", f"{SECONDS}", "50"],
    ],
}
"""What the description of a figure must say, in this order."""


def test_every_figure_has_its_facts() -> None:
    assert set(drawn()) == set(FACTS)
    assert len(FACTS) == len(ASKING_FIGURES)


@pytest.mark.parametrize("name", FACTS)
def test_what_a_figure_says_agrees_with_all_rows(name: str) -> None:
    for fact in FACTS[name]:
        assert facts_in(drawn()[name].alt, *fact) == fact


def test_the_grey_area_is_what_the_rate_needs() -> None:
    """120 kB/s of records of 1200 bytes; a consumer processes 240 kB/s."""
    caption: Any = drawn()["asked-group"].caption
    assert "need at 200 events/s each" in caption


def test_simulated_and_measured_lines_stand_side_by_side_where_both_exist() -> None:
    """Two lines of each, for consumers and latency; the second strategy has no simulation."""
    wide = drawn()["asked-group"].wide
    assert wide.count('class="line s-blue"') == 2 + 1  # and the key
    assert wide.count('class="line s-red dashed"') == 2 * len(ASKING) + 1
