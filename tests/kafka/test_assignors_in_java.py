"""Our assignors agree with Kafka's own classes, which run here in a JVM."""

from __future__ import annotations

import pytest

from algorithms.assignment import assignors
from tests.kafka import kafka_driver, recorded_assignors
from tests.kafka.group_histories import History, draw, rebalances
from tests.kafka.kafka_driver import Rounds
from tools.setup.kafka_jars import NotDownloaded

pytestmark = [pytest.mark.slow, pytest.mark.kafka]

N = 60
"""Histories per assignor besides the recorded ones, of six rebalances or more each."""
SEEDS = (11, 12)

Answers = list[tuple[History, list[Rounds]]]


@pytest.fixture(scope="module")
def recorded() -> list[History]:
    """The histories of the table."""
    return recorded_assignors.read()[0]


@pytest.fixture(scope="module")
def answers(recorded: list[History]) -> Answers:
    """Kafka's answers to the recorded histories, then to others."""
    drawn = [h for name in kafka_driver.VERSIONS for seed in SEEDS for h in draw(name, N, seed)]
    histories = [*recorded, *drawn]
    try:
        rounds = kafka_driver.answers(histories)
    except (NotDownloaded, kafka_driver.NoCompiler) as error:
        pytest.skip(str(error))
    return list(zip(histories, rounds, strict=True))


def test_kafka_still_answers_as_recorded(answers: Answers, recorded: list[History]) -> None:
    rounds = [rounds for _, rounds in answers[: len(recorded)]]
    assert recorded_assignors.text(recorded, rounds) == recorded_assignors.FILE.read_text()


@pytest.mark.parametrize("name", kafka_driver.VERSIONS)
def test_we_agree_with_kafka_on_other_histories(
    answers: Answers, recorded: list[History], name: str
) -> None:
    cases = 0
    for history, rounds in answers[len(recorded) :]:
        if history.assignor == name:
            for members, before, after in rebalances(history, rounds):
                ours = assignors.assign(name, len(before), members, before)
                assert ours.tolist() == list(after), (members, before)
                cases += 1
    assert cases >= 300
