"""What the report on learning says besides its tables: notes, and which variants disagree."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from algorithms.learning.cluster_settings import BrokerSettings
from pipeline.experiments.learning.published import CLAIMS
from pipeline.experiments.learning.sections import learning_answer, learning_page
from pipeline.warehouse.runs.run_results import Results
from tests.pipeline.experiments.learning import learning_cases

pytestmark = pytest.mark.unit

BUYS = "Reward weighted buys violations"


def with_setting(**changes: Any) -> Results:
    """The small run with other settings of its experiment."""
    small = learning_cases.small()
    config = small.config
    config["learning"][0] |= changes
    return replace(small, run={**small.run, "config": json.dumps(config)})


def test_the_report_says_that_reward_3_buys_violations_only_where_it_is_trained() -> None:
    assert BUYS not in learning_page.build(learning_cases.small())
    text = learning_page.build(with_setting(rewards=["count", "weighted"]))
    assert learning_answer.weighing(BrokerSettings()) in text
    larger = learning_page.build(with_setting(rewards=["count", "weighted"], max_brokers=19))
    assert "one broker less is worth 0.03125" in larger


def test_the_sentence_on_reward_3_has_the_figures_of_its_cluster() -> None:
    assert learning_answer.weighing(BrokerSettings()) == (
        f"{BUYS}: an interval just over 300 ms costs 0.1, and one broker less is worth 0.0625. Its "
        "best number to stay at is 6, over 300 ms in 5 % of intervals; the optimum keeps to it "
        "only if latency exceeds 300 ms with 1 less and 450 ms with 2 less."
    )


def test_nothing_is_said_of_fewer_brokers_where_there_are_none() -> None:
    least = learning_answer.weighing(BrokerSettings(queue_ms=1.0))
    assert least.endswith("is 3, over 300 ms in 0 % of intervals.")
    assert "exceeds any bound" not in least


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["R5", "R9"])
def test_how_a_claim_is_judged_is_said_once_whatever_its_rows(claim: str) -> None:
    small, note = learning_cases.small(), CLAIMS[claim].note
    row = small["learning_verdicts"].assign(claim=claim)
    rows = pd.concat(
        row.assign(subject=subject, note=f"{note} {own}".rstrip())
        for subject, own in (("both, count", "Fewer than 30 seeds."), ("both, weighted", ""))
    )
    text = learning_page.build(small.with_tables(learning_verdicts=rows))
    assert text.count(note) == 1
    other = pd.concat([rows, row.assign(claim="R8", note=CLAIMS["R8"].note)])
    text = learning_page.build(small.with_tables(learning_verdicts=other))
    assert [text.count(CLAIMS[one].note) for one in (claim, "R8")] == [1, 1]
    reverse = rows.assign(note=rows["note"][::-1].to_list())
    text = learning_page.build(small.with_tables(learning_verdicts=reverse))
    assert "<small>Fewer than 30 seeds.</small>" in text


def test_the_table_of_claims_names_the_variants_that_disagree() -> None:
    small = learning_cases.small()
    note = "Variants that disagree: gamma=0.9 (open)."
    verdicts = small["learning_verdicts"].assign(variants=34, variants_agreeing=33, note=note)
    text = learning_page.build(small.with_tables(learning_verdicts=verdicts))
    assert "33 of 34" in text
    assert re.search(rf"<small>{re.escape(note)}</small>", text)
