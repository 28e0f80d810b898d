"""The commands of ``groupscale``, in the order in which its help lists them.

To add one, write a module here with the function of its name and list it in `COMMANDS`. Modules
are imported for every help page: what is slow to import belongs into the functions.
"""

from __future__ import annotations

from collections.abc import Callable

from pipeline.commands.algorithms import algorithms
from pipeline.commands.presets import presets
from pipeline.commands.run import run
from pipeline.commands.sql import sql
from pipeline.commands.track import track

COMMANDS: tuple[Callable[..., None], ...] = (run, track, sql, presets, algorithms)
