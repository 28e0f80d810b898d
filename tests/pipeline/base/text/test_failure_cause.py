"""The line of an output that says why a program failed."""

import pytest

from pipeline.base.text.failure_cause import MAX_CAUSE, cause

pytestmark = pytest.mark.unit

BOUND = "Caused by: java.net.BindException: Address already in use"


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("", ""),
        ("only this\n\n", "only this"),
        ("error: first\nerror: second\nhint: try again", "error: second"),
        ("  × Failed to build\n  ├─▶ the cause", "Failed to build"),
        ("write: No space left on device\nerror: build failed", "write: No space left on device"),
        (
            "java.lang.NoException: no\n\tat a.Error.main(A.java)\n\tat b",
            "java.lang.NoException: no",
        ),
        ("ERROR a\nCaused by: java.net.BindException: Address already in use\nERROR b", BOUND),
        ("Hash mismatch for `a==1`\nerror: cannot go on", "Hash mismatch for `a==1`"),
    ],
)
def test_the_telling_line(output, expected):
    assert cause(output) == expected


def test_a_very_long_line_is_cut():
    assert len(cause("error " * 1000)) == MAX_CAUSE
