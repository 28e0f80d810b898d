"""Errors, grouped by how to fix them."""

from __future__ import annotations

from collections.abc import Sequence

MAX_RULES = 10
"""Maximum number of broken rules in a message; a table may break dozens at once."""

MAX_RULE_TEXT = 300


class GroupscaleError(Exception):
    """Base of the errors that users see as a message without a traceback."""


class InputError(GroupscaleError):
    """The user's input is wrong, nothing was written: exit status 2. Names what is allowed."""


class StageError(GroupscaleError):
    """A step of the pipeline failed, and the run is not published: exit status 1."""


class Stopped(GroupscaleError):
    """A command was stopped by its user or at a limit: exit status 1, and no log."""


class Damaged(StageError):
    """A file of a table cannot be read.

    file: Path of the file within the table.
    run_id: The run that wrote its rows; None if no run can write them again.
    """

    def __init__(self, table: str, file: str, run_id: str | None) -> None:
        super().__init__(table, file, run_id)
        self.table, self.file, self.run_id = table, file, run_id

    def __str__(self) -> str:
        return self.message()

    def message(self, own: str | None = None) -> str:
        """Describe the damage and the remedy, for a user of the run ``own``."""
        file = f"{self.table}/{self.file}"
        what = f"table {self.table}: cannot read {file}: the file is damaged or missing"
        if self.run_id is None:
            return f"{what}; restore it from a backup"
        if self.run_id == own:
            return f"{what}; repeat the run with --run-id {own}"
        return (
            f"{what}; it belongs to run {self.run_id}: restore it from a backup, or repeat that "
            f"run with --run-id {self.run_id}"
        )


class ValidationFailed(StageError):
    """A table breaks rules of its contract.

    rules: The broken rules, each with the values observed; the message names the first ten.
    """

    def __init__(self, table: str, rules: Sequence[str]) -> None:
        super().__init__(table, rules)
        self.table = table
        self.rules = tuple(rules)

    def __str__(self) -> str:
        listed = "; ".join(_shortened(rule) for rule in self.rules[:MAX_RULES])
        more = len(self.rules) - MAX_RULES
        rest = f"; and {more} more" if more > 0 else ""
        broken = "rule is" if len(self.rules) == 1 else "rules are"
        return f"table {self.table}: {len(self.rules)} {broken} broken: {listed}{rest}"


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_RULE_TEXT else text[: MAX_RULE_TEXT - 1] + "…"
