"""``groupscale demo-data``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.base.process.output import answered
from pipeline.base.text.printable import printable
from pipeline.cli.commands.options import Debug
from pipeline.cli.exits import reporting_errors


def demo_data(
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="File to write: .csv (rates), .json (an answer of Prometheus) or .txt (snapshots "
            "of kafka-consumer-groups.sh --describe).",
        ),
    ],
    force: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
    debug: Debug = False,
) -> None:
    """Write two generated days of three topics, to try the other commands on."""
    with reporting_errors(debug), answered():
        from pipeline.cli import whole_files
        from pipeline.inputs.demo import demo_forms, demo_load

        demo_forms.check(output)
        with whole_files.written(output, force) as place, place.open("w", encoding="ascii") as out:
            demo_forms.write(demo_load.generate(), output.suffix, out)
        name = printable(str(output))
        print(f"Written to {name}. A consumer serves {demo_load.MU:g} events/s. Next:")
        print(f"  groupscale recommend {name} --mu {demo_load.MU:g} --slo 99%@30s")
