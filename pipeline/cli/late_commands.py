"""Commands that are imported when one is asked for: help alone needs them all."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup

from pipeline.cli.commands import GROUPS, PANELS, PASSED_ON, load
from pipeline.cli.commands.options import summary

PANEL_OF = {name: panel for panel, names in PANELS.items() for name in names} | {
    name: panel for panel, name in GROUPS.items()
}
"""Panel of each command and group, in the order of help."""

_ANOTHERS = {"ignore_unknown_options": True, "allow_interspersed_args": False}


class LateCommands(TyperGroup):
    """The commands of ``groupscale``."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Names, in the order of help."""
        return list(PANEL_OF)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """A command; an unknown name loads them all, so that similar ones are proposed."""
        for name in [cmd_name] if cmd_name in PANEL_OF else PANEL_OF:
            if name not in self.commands:
                self.commands[name] = _command(name)
        return self.commands.get(cmd_name)


def _command(name: str) -> Any:
    """A command as Typer makes it."""
    around, loaded = typer.Typer(), load(name)
    panel = PANEL_OF[name]
    if name in GROUPS.values():
        around.add_typer(loaded, short_help=loaded.info.help, rich_help_panel=panel)
    else:
        around.command(
            name,
            short_help=summary(loaded),
            context_settings=_ANOTHERS if name in PASSED_ON else None,
            rich_help_panel=panel,
        )(loaded)
    return typer.main.get_group(around).commands[name]
