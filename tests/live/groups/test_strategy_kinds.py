"""Names of live strategies."""

from __future__ import annotations

import pytest

from algorithms.autoscaling import strategies
from live.strategy_kinds import (
    ASKED,
    ASSIGNOR,
    CLASSIC,
    KIP_848,
    MOST_MEMBERS,
    Controlled,
    DeployedGroup,
    FixedGroup,
    KedaGroup,
    parse,
)
from pipeline.base.errors import InputError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("name", ["MWF", "BFD", "kd_4", "SR_1", "BFD+M"])
def test_registered_algorithms_go_to_the_controller(name: str) -> None:
    assert parse(name, 8) == Controlled(name)


def test_groups_of_kafka_are_parsed() -> None:
    assert parse("kafka_classic_3", 8) == FixedGroup(CLASSIC, 3)
    assert parse("kafka_848_12", 32) == FixedGroup(KIP_848, 12)
    assert parse("keda", 8) == KedaGroup(CLASSIC)


@pytest.mark.parametrize("form", ASKED)
def test_deployed_forms_are_groups_of_kafka_that_a_scaler_sizes(form: str) -> None:
    label = f"{form}:headroom:h=1.15:hold=30"
    assert parse(label, 8) == DeployedGroup(form, label, CLASSIC)
    assert parse(f"{label}:assignor={ASSIGNOR}", 8) == DeployedGroup(
        form, f"{label}:assignor={ASSIGNOR}"
    )
    with pytest.raises(InputError, match="assignor must be sticky, as members of a live group"):
        parse(f"{label}:assignor=range", 8)


def test_every_deployed_form_can_be_measured() -> None:
    """Else the controller would run it as a strategy of its own."""
    assert strategies.FORMS == ASKED


UNKNOWN = (
    *("", "kafka", "kafka_classic", "kafka_classic_0", "kafka_848_03", "kafka_849_3", "KEDA"),
    *("keda_3", "kafka_classic_-1", "kafka_classic_3 ", "kafka_848_³", "kafka_848_3.0", "nothing"),
)


@pytest.mark.parametrize("name", UNKNOWN)
def test_an_unknown_name_is_refused_with_those_that_are_allowed(name: str) -> None:
    with pytest.raises(InputError) as refusal:
        parse(name, 8)
    for allowed in ("MWF", "kd_n", "kafka_classic_n", "kafka_848_n", "keda"):
        assert allowed in str(refusal.value)


@pytest.mark.parametrize("name", ["kd_0", "kd_x"])
def test_a_wrong_parameter_of_an_algorithm_is_refused(name: str) -> None:
    with pytest.raises(InputError, match="kd_"):
        parse(name, 8)


@pytest.mark.parametrize(("members", "partitions"), [(9, 8), (MOST_MEMBERS + 1, 200), (9999, 8)])
def test_a_group_has_no_more_members_than_partitions(members: int, partitions: int) -> None:
    most = min(partitions, MOST_MEMBERS)
    parse(f"kafka_848_{most}", partitions)
    with pytest.raises(InputError, match=f"between 1 and {most} members.*got {members}"):
        parse(f"kafka_848_{members}", partitions)
