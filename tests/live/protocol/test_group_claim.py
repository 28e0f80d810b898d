"""Who may take a group over again after an error."""

from __future__ import annotations

import pytest

from live.protocol import group_records
from live.protocol.group_claim import GroupClaim
from live.protocol.group_protocol import GroupProtocol
from tests.live.protocol.group_desk import GroupDesk

pytestmark = pytest.mark.unit


def test_a_new_controller_takes_over_from_anybody() -> None:
    claim = GroupClaim("b")
    assert not claim.is_made
    assert claim.allows("a")


def test_one_that_recovers_takes_over_unless_another_has_come_in_between() -> None:
    claim = GroupClaim("b")
    claim.took("a")
    assert claim.is_made
    # Its own first transaction may have failed, or not.
    assert claim.allows("a")
    assert claim.allows("b")
    assert not claim.allows("c")


def test_one_whose_take_over_may_have_fenced_the_other_does_not_leave_the_group_to_it() -> None:
    claim = GroupClaim("b")
    claim.took("a")
    claim.forget()
    assert claim.allows("c")


def test_names_differ() -> None:
    assert GroupClaim().name != GroupClaim().name


def holder(g: GroupDesk) -> str:
    return group_records.holder(g.records.items())


def test_the_first_transaction_says_who_controls_the_group() -> None:
    g = GroupDesk(1, holder="a")
    assert not g.due().needs_transaction
    assert holder(g) == ""
    g.group.plan([0], g.now)
    assert [key for key, _ in g.due().records].count(b"controller/0") == 1
    assert holder(g) == "a"
    assert b"controller/0" not in dict(g.hello(0).records)


def test_a_successor_says_so_with_its_first_commands() -> None:
    g = GroupDesk(1, holder="a")
    g.settle([0])
    g.succeed()
    assert b"controller/0" not in dict(g.due().records)
    settings = GroupDesk(1, holder="b").settings
    g.group = GroupProtocol.restored(settings, g.now, g.records.items())
    assert g.due().commands
    assert holder(g) == "b"


def test_groups_of_before_have_no_holder() -> None:
    assert group_records.holder([]) == ""
    assert group_records.holder([(b"controller/0", b'{"v":1}')]) == ""
