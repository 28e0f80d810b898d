"""Events of a live group as a field: one, several, none, and what is no event."""

from __future__ import annotations

import pytest

from pipeline.settings import group_events_field
from pipeline.settings.field_checks import FieldError

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("none", [None, "", (), []])
def test_there_may_be_no_events(none: object) -> None:
    assert group_events_field.check("group_events", none) == ()


def test_one_event_needs_no_list() -> None:
    assert group_events_field.check("group_events", "crash@1m") == ("crash@1m",)
    assert group_events_field.check("group_events", ["crash@1m", "outage@5s:1s"]) == (
        *("crash@1m", "outage@5s:1s"),
    )


@pytest.mark.parametrize("other", [0, 0.0, False, {}, 5, [0]])
def test_other_values_are_no_events(other: object) -> None:
    with pytest.raises(FieldError, match="group_events"):
        group_events_field.check("group_events", other)
