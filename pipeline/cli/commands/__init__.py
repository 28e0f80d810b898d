"""The commands of ``groupscale``, as its help lists them.

To add one, write a module ``NAME_command.py`` here with a function NAME, underscores for hyphens,
and list it in `PANELS`. If Python reserves the name, add an underscore to the function; the command
has none. A module is imported for its command and for every help page: put slow imports into the
function. Commands with a common first word, such as ``live record``, are a group in `GROUPS`.
"""

from __future__ import annotations

import keyword
from importlib import import_module
from typing import Any

PANELS = {
    "Decide": (
        *("recommend", "confirm", "simulate", "simulate-application", "import", "demo-data"),
    ),
    "Run": ("run", "presets", "algorithms", "strategies"),
    "Look": ("runs", "report", "sql", "compare"),
    "Operate": ("scaler", "promote", "track", "retain", "airflow"),
}
"""Commands by what they are for, as help shows them."""

PASSED_ON = ("airflow",)
"""Commands whose arguments are those of another program, options included."""

GROUPS = {"Live": "live", "Learn": "learn"}
"""Groups of commands by what they are for."""


def load(name: str) -> Any:
    """The function of a command, or the `typer.Typer` of a group."""
    own = name.replace("-", "_")
    module = import_module(f"{__name__}.{own}_command")
    return getattr(module, f"{own}_" if keyword.iskeyword(own) else own)
