"""What the report on learning says besides its tables: notes, and which variants disagree."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from algorithms.learning.cluster_settings import BrokerSettings
from pipeline.experiments.learning.published import CLAIMS
from pipeline.experiments.learning.results import learning_study
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


def test_measured_latency_is_of_another_machine_and_may_be_of_the_papers_load() -> None:
    """A load of 1 is the paper's; the preset has it."""
    (study,) = learning_study.studies(with_setting(curve="measured", max_brokers=7))
    (note,) = [one for one in learning_answer.answer([study], []).notes if "Latency" in one]
    assert note.endswith("(docs/broker-curve-table.md), on another machine than the paper's.")
    assert "calibration" not in " ".join(learning_answer.answer([study], []).notes)


def test_nothing_is_said_of_fewer_brokers_where_there_are_none() -> None:
    least = learning_answer.weighing(BrokerSettings(queue_ms=1.0))
    assert least.endswith("is 3, over 300 ms in 0 % of intervals.")
    assert "exceeds any bound" not in least


def with_figures(*claims: tuple[str, str, str]) -> Results:
    """The small run with figures of claims: number, subject and note."""
    small = learning_cases.small()
    figure = small["published_figures"].iloc[0].to_dict()
    rows = [
        figure | {"figure_key": f"learned: {claim}: {subject}", "its_strategy": subject}
        | {"note": note}
        for claim, subject, note in claims
    ]  # fmt: skip
    return small.with_tables(published_figures=pd.DataFrame(rows))


@pytest.mark.slow
@pytest.mark.parametrize("claim", ["R5", "R9"])
def test_how_a_claim_is_judged_is_said_once_whatever_its_rows(claim: str) -> None:
    note, other = CLAIMS[claim].note, CLAIMS["R8"].note
    first = (claim, "both, count", note)
    second = (claim, "both, weighted", f"{note} Fewer than 30 seeds.")
    text = learning_page.build(with_figures(first, second, ("R8", "both, all", other)))
    assert [text.count(one) for one in (note, other)] == [1, 1]
    assert "<small>Fewer than 30 seeds.</small>" in text
    text = learning_page.build(with_figures(second, first))
    assert f"<small>{note} Fewer than 30 seeds.</small>" in text


def test_the_claims_are_published_figures_with_their_numbers() -> None:
    text = learning_page.build(with_figures(("R1", "dqn, count", "33 of 34 variants agree.")))
    assert "R1, learned, Figs 2, 3, dqn, count: share of seeds that succeed" in text
    assert "<small>33 of 34 variants agree.</small>" in text
    assert '<td data-label="95 % interval">0.01 to 0.99</td>' in text
