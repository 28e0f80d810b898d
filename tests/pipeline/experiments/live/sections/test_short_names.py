"""Names of strategies that tables have room for."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.experiments.live.sections import short_names
from pipeline.experiments.live.sections.live_sections import written
from pipeline.reporting.sections import section_json
from pipeline.settings.asking_presets import BAD_HOUR, NIGHT
from tests.pipeline.experiments.live import live_cases
from tests.sentence_facts import facts_in

pytestmark = pytest.mark.unit

LONG = "asking:linear:assignor=range:cooldown_s=10.0:initial_replicas=5"

ARGUMENTS = st.dictionaries(
    st.sampled_from(["assignor", "cooldown_s", "h"]), st.sampled_from(["1", "2", "sticky"])
)
NAMES = st.builds(
    lambda kind, own: ":".join([kind, *(f"{name}={own[name]}" for name in sorted(own))]),
    st.sampled_from(["MWF", "linear", "asking:linear", "keda_http:headroom+placement"]),
    ARGUMENTS,
)


@given(st.lists(NAMES, unique=True))
def test_different_strategies_keep_different_names(names: list[str]) -> None:
    briefs = short_names.short(names)
    assert list(briefs) == names
    assert len(set(briefs.values())) == len(names)
    for name, brief in briefs.items():
        assert set(brief.split(":")) <= set(name.split(":"))
        assert len(name) > 20 or brief == name


def test_arguments_that_tell_strategies_apart_stay() -> None:
    names = NIGHT["skew-9"]["strategies"]
    assert list(short_names.short(names).values()) == [
        "asking:least_loaded_2",
        *(f"asking:linear:assignor={assignor}" for assignor in ("range", "roundrobin", "sticky")),
        "asking:linear+placement",
    ]
    assert list(short_names.short(BAD_HOUR["bad-hour"]["strategies"]).values()) == [
        "asking:constant",
        "asking:linear",
    ]


def test_tables_have_the_short_name_and_say_what_it_stands_for() -> None:
    """JSON and MLflow keep the whole one, as queries do."""
    small = live_cases.small()
    tables = {
        name: rows.assign(strategy=rows["strategy"].replace("kd_1", LONG))
        for name, rows in small.tables.items()
        if "strategy" in rows
    }
    config = small.config
    config["live"][0]["strategies"] = ["MWF", LONG]
    run = {**small.run, "config": config}
    results = type(small)({**small.tables, **tables}, run, small.states)
    (experiment,) = written(results).experiments
    section = next(each for each in experiment.sections if each.title == "Strategies")
    (table,) = section.tables
    assert [row.shown for row in table.rows] == ["MWF", "asking:linear"]
    facts = ["asking:linear", LONG]
    assert facts_in(section.notes[0], *facts) == facts
    content = json.loads(section_json.text(written(results)))
    named = {
        row["name"]
        for each in content["experiments"][0]["sections"]
        if each["title"] in ("Strategies", "Conditions")
        for table in each["tables"]
        for row in table["rows"]
    }
    assert named == {"MWF", LONG}
    assert any(row.label.endswith(LONG) for row in table.rows)
