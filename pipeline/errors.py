"""What can go wrong, by who can mend it."""

from __future__ import annotations

from collections.abc import Sequence

MAX_RULES = 10
"""Broken rules that a message names; a table may break dozens at once."""

MAX_RULE_TEXT = 300


class GroupscaleError(Exception):
    """Base of the errors that are told to users by their message alone."""


class InputError(GroupscaleError):
    """What the user passed in is wrong, and nothing has been written: exit status 2.

    The message names the field, or file and line, what was found and what is allowed.
    """


class StageError(GroupscaleError):
    """A step of the pipeline failed, and the run is not published: exit status 1."""


class Stopped(GroupscaleError):
    """A command was ended before its time, by its user or at a limit: exit status 1, and no log."""


class Damaged(StageError):
    """A file of a table cannot be read.

    Parameters
    ----------
    table
        Name of the table.
    file
        The file's place within the table.
    run_id
        The run whose rows it holds; None where no run writes them anew.
    """

    def __init__(self, table: str, file: str, run_id: str | None) -> None:
        super().__init__(table, file, run_id)
        self.table, self.file, self.run_id = table, file, run_id

    def __str__(self) -> str:
        return self.told()

    def told(self, own: str | None = None) -> str:
        """What is damaged and what to do, said to somebody who runs the run ``own``."""
        file = f"{self.table}/{self.file}"
        what = f"table {self.table}: cannot read {file}, which is damaged or missing"
        if self.run_id is None:
            return f"{what}; bring it back from a backup"
        if self.run_id == own:
            return f"{what}; run it again with the same run id: --run-id {own}"
        return (
            f"{what}; it is of run {self.run_id}: bring it back from a backup, or run that one "
            f"again with its own run id: --run-id {self.run_id}"
        )


class ValidationFailed(StageError):
    """A table holds what its contract does not allow.

    Parameters
    ----------
    table
        Name of the table.
    rules
        The broken rules, each with what was seen; the message names the first ten.
    """

    def __init__(self, table: str, rules: Sequence[str]) -> None:
        super().__init__(table, rules)
        self.table = table
        self.rules = tuple(rules)

    def __str__(self) -> str:
        told = "; ".join(_shortened(rule) for rule in self.rules[:MAX_RULES])
        more = len(self.rules) - MAX_RULES
        rest = f"; and {more} more" if more > 0 else ""
        broken = "rule does" if len(self.rules) == 1 else "rules do"
        return f"table {self.table}: {len(self.rules)} {broken} not hold: {told}{rest}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_RULE_TEXT else text[: MAX_RULE_TEXT - 1] + "…"
