"""Commands of README and documentation, and how tests call them."""

from __future__ import annotations

import functools
from typing import Any

import pytest
import typer
from typer.core import TyperGroup

from pipeline.cli.app import app
from tests import guides

OURS = "groupscale"
GROUPS = ("live", "learn")
"""Words that begin the name of a command, without being one."""
RUN_IDS = {"RUN_ID": "second", "OTHER_ID": "first", "TONIGHT": "second", "LONG_AGO": "first"}
"""Runs of the test that stand for those of a page."""
PLACEHOLDERS = ("RUN_ID", "RUN", "HOST:PORT", "FILE", "NAME", "…")


def _without_folder(words: list[str]) -> list[str]:
    return [words[0].rpartition("/")[2], *words[1:]]


COMMANDS = [_without_folder(w) for e in guides.examples() for w in guides.commands(e)]
INLINE = [_without_folder(w) for e in guides.inline() for w in guides.commands(e)]
MAKE = [words for words in COMMANDS + INLINE if words[0] == "make"]
GROUPSCALE = [words for words in COMMANDS if words[0] == OURS]
IN_TEXT = [words for words in INLINE if words[0] == OURS and words[1] != "airflow"]


_command = functools.cache(typer.main.get_command)


def parsed(words: list[str]) -> dict[str, Any]:
    """The parameters of the command that these words name; its options are checked."""
    command = _command(app)
    context = command.make_context(words[0], list(words[1:]))
    while isinstance(command, TyperGroup):
        rest = [*context._protected_args, *context.args]
        name, inner, rest = command.resolve_command(context, rest)
        assert inner is not None
        command, context = inner, inner.make_context(name, rest, parent=context)
    return context.params


def name_of(words: list[str]) -> str:
    """The name of a command, such as ``live run``."""
    return " ".join(words[1 : 3 if words[1] in GROUPS else 2])


def is_only_named(words: list[str]) -> bool:
    """Whether words in the text name a command without its arguments, so that it cannot be run."""
    if words[-1].strip("]") == "…" and not words[-2].startswith("-"):
        return True
    bare = words[1:] == name_of(words).split()
    if bare and words[-1] in GROUPS:
        return True
    try:
        parsed(words)
    except typer.BadParameter:  # an argument is missing
        if bare:
            return True
        raise
    return False


RUNNABLE = GROUPSCALE + [words for words in IN_TEXT if not is_only_named(words)]


def each(commands: list[list[str]], *names: str) -> pytest.MarkDecorator:
    """A test of each of these commands, or of those with one of these names."""
    some = [words for words in commands if not names or name_of(words) in names]
    some = [list(words) for words in dict.fromkeys(map(tuple, some))]
    return pytest.mark.parametrize("words", some, ids=[" ".join(words)[:60] for words in some])
