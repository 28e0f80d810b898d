"""Plans that Kafka's own tool prints."""

from __future__ import annotations

import pytest

from live.brokers import broker_admin
from live.brokers.tool_jars import ToolFailed

pytestmark = pytest.mark.unit

PRINTED = """Current partition replica assignment
{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[1,2],"log_dirs":["any","any"]}]}

Proposed partition reassignment configuration
{"version":1,"partitions":[{"topic":"t","partition":0,"replicas":[3,1],"log_dirs":["any","any"]},\
{"topic":"u","partition":2,"replicas":[2,3],"log_dirs":["any","any"]}]}
"""


def test_the_proposed_plan_is_read() -> None:
    assert broker_admin.proposed(PRINTED) == {("t", 0): (3, 1), ("u", 2): (2, 3)}


@pytest.mark.parametrize(
    "printed",
    ["", "No plan", PRINTED.split("\n{", 2)[0], PRINTED[:-10], f"{PRINTED.split('{')[0]}[]"],
)
def test_output_without_a_plan_is_a_failure(printed: str) -> None:
    with pytest.raises(ToolFailed, match=r"^Kafka's --generate does not print a plan: "):
        broker_admin.proposed(printed)
