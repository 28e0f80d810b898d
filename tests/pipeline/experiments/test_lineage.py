"""Lineage follows from stages."""

from __future__ import annotations

import pytest

import schemas
from pipeline.experiments import lineage
from pipeline.experiments.family_list import STAGES

pytestmark = pytest.mark.unit


def test_every_table_has_its_place_and_lineage() -> None:
    assert set(lineage.order()) == set(schemas.TABLES) == set(lineage.of_tables())
    assert tuple(lineage.of_tables()) == lineage.order()


def test_a_table_names_the_stages_that_write_it() -> None:
    names = {stage.name for stage in STAGES}
    for table, own in lineage.of_tables().items():
        stages = tuple(stage.name for stage in STAGES if table in stage.writes)
        assert own.written_by == stages or not names & set(own.written_by)


def test_a_table_is_made_of_what_its_stage_reads() -> None:
    tables = lineage.of_tables()
    assert tables["latency"].reads == ("streams", "measurements", "assignments")
    assert tables["learning_verdicts"].reads == ("trainings", "policies", "evaluations")
    assert tables["published_figures"].written_by == (
        *("judge_figures", "compare_figures"),
        *("compare_published", "judge_claims", "judge_applications", "judge_functions"),
        "judge_brokers",
    )
    assert set(tables["validations"].reads) == set(schemas.TABLES) - {"baselines", "validations"}


def test_no_table_comes_before_what_it_is_made_of() -> None:
    order = lineage.order()
    for table, own in lineage.of_tables().items():
        later = {name for name in own.reads if order.index(name) >= order.index(table)}
        # All families write figures; most of them come later in the order.
        assert not later or table == "published_figures"
