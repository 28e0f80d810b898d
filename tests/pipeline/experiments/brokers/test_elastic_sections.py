"""What page and terminal say of a run with brokers that join and leave."""

from __future__ import annotations

import pandas as pd
import pytest

from pipeline.experiments.brokers.results.broker_study import studies
from pipeline.experiments.brokers.sections import broker_answer, broker_page, compared_plans
from pipeline.experiments.brokers.sections.elastic_sections import written
from tests.pipeline.experiments.brokers import broker_cases
from tests.sentence_facts import facts_in, figures_of

pytestmark = pytest.mark.unit


def test_the_answer_has_moves_and_loss_with_its_bound() -> None:
    moves, loss = written(broker_cases.small()).answer.answer
    assert moves.startswith("In 3 scalings, 36 replicas were to move")
    assert moves.endswith("fewer than 36.")
    assert loss.startswith("No loss at process crash: 0 of 1,200 acknowledged records were lost")
    assert "(at most 0.25 % at 95 % confidence)" in loss.replace("\xa0", " ")


def test_an_experiment_counts_the_faults_that_it_had() -> None:
    (study,) = studies(broker_cases.small())
    assert study.words.startswith(
        "3 scalings between 3 and 4 brokers, 1 of them with a fault, repl"
    )
    calm = study._replace(scalings=study.scalings.assign(fault=None))
    assert "brokers, 0 of them with a fault" in calm.words
    assert "fault" not in calm._replace(setting={**study.setting, "faults": []}).words


def test_a_run_without_faults_says_nothing_of_crashes() -> None:
    (study,) = studies(broker_cases.small())
    calm = study._replace(scalings=study.scalings.assign(fault=None))
    loss = broker_answer.answer([calm]).answer[1]
    assert figures_of(loss)[:2] == ["0", "1,200"]
    assert "crash" not in loss


def test_notes_compare_waits_and_count_repeats_by_producers() -> None:
    notes = written(broker_cases.small()).answer.notes
    # Medians and 99 % while partitions move, and without a change.
    assert figures_of(notes[0]) == ["0.020", "99", "0.040", "0.010", "99", "0.020"]
    facts = (
        *(["plain", "2", "again", "0", "order"], ["idempotent", "0", "again", "0", "order"]),
        *(["7", "100 ms"], ["1", "fault"], ["1", "cancelled"]),
    )
    for note, own in zip(notes[1:6], facts, strict=True):
        assert facts_in(note, *own) == own


def test_the_page_has_every_scaling_and_the_figure() -> None:
    page = broker_page.build(broker_cases.small())
    assert "What do brokers that join and leave cost, and what decides well?" in page
    assert "partitions move, idempotent: median" in page
    assert "3: down" in page


def test_plans_of_one_kind_are_not_compared() -> None:
    assert not compared_plans.experiments(studies(broker_cases.small()))


def test_plans_of_two_kinds_are_compared_with_their_drift() -> None:
    (study,) = studies(broker_cases.small())
    later = pd.concat(
        [study.scalings.assign(scaling=study.scalings["scaling"] + 3 * n) for n in (0, 1)]
    )
    drifting = study._replace(
        setting={**study.setting, "planner": "turns", "replication": 2},
        scalings=later.assign(replica_spread=[1, 2, 3, 4, 5, 9]),
    )
    (part,) = compared_plans.experiments([study, drifting])
    (table,) = part.sections[0].tables
    least, turns = ({f.key: f.write(row.values).text for f in table.fields} for row in table.rows)
    assert [row.name for row in table.rows] == ["fewest moves", "round robin"]
    # 12 of 36 partitions with 3 and 2 replicas.
    assert (least["moves"], least["share"], turns["share"]) == ("12.0", "11.1", "16.7")
    assert (turns["replica_spread"], turns["replica_spread_most"]) == ("4.0", "9")
    assert turns["replica_spread_last"] == "5.2"


def test_the_answer_compares_plans_of_the_same_replication() -> None:
    (study,) = studies(broker_cases.small())
    kafkas = study._replace(
        setting={**study.setting, "planner": "generated"},
        scalings=study.scalings.assign(moves=50, replica_spread=[2, 7, 4]),
    )
    other = study._replace(setting={**study.setting, "planner": "turns", "replication": 1})
    answer = broker_answer.answer([study, kafkas, other]).answer
    facts = ["3", "least plan", "36"]
    assert facts_in(answer[0], *facts) == facts
    facts = ["--generate", "4.17", "least plan", "7"]
    assert facts_in(answer[2], *facts) == facts
    assert len(broker_answer.answer([study]).answer) == 2


def test_plans_are_compared_on_the_same_scalings_alone() -> None:
    """Kafka's tool had four times as many, and its third one was of another broker."""
    (study,) = studies(broker_cases.small())
    own = study.scalings
    more = pd.concat([own.assign(scaling=own["scaling"] + 3 * n) for n in range(4)])
    brokers = [*own["broker"][:2], 3, *more["broker"][3:]]
    kafkas = study._replace(
        setting={**study.setting, "planner": "generated"},
        scalings=more.assign(moves=30, broker=brokers),
    )
    (sentence,) = compared_plans.answer([study, kafkas])
    # 30 and 30 against 12 and 12.
    assert "copied 2.50 times as many" in sentence
    others = kafkas._replace(scalings=kafkas.scalings.assign(scaling=range(90, 102)))
    assert compared_plans.answer([study, others]) == []


def test_without_least_plans_the_answer_names_the_experiment_it_counts() -> None:
    (study,) = studies(broker_cases.small())
    turns = study._replace(name="turns-3", setting={**study.setting, "planner": "turns"})
    kafkas = study._replace(setting={**study.setting, "planner": "generated"})
    answer = broker_answer.answer([turns, kafkas])
    assert answer.answer[0].startswith("In 3 scalings of experiment turns-3, 36 replicas")
    assert answer.notes[0].startswith("Producers wait in experiment turns-3 for an acknowl")
    alone = broker_answer.answer([turns])
    assert alone.answer[0].startswith("In 3 scalings, 36 replicas")
    assert alone.notes[0].startswith("Producers wait for an acknowledgement")
