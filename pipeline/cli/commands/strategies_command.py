"""``groupscale strategies``."""

from __future__ import annotations

from rich.console import Console

from pipeline.base.process.output import answered
from pipeline.cli.commands.options import Json
from pipeline.cli.exits import reporting_errors
from pipeline.cli.json_rows import print_rows


def strategies(as_json: Json = False) -> None:
    """List the strategies of autoscaling."""
    from pipeline.cli import listings

    with reporting_errors(), answered():
        if as_json:
            print_rows(listings.strategy_rows())
        else:
            Console().print(listings.strategy_table())
