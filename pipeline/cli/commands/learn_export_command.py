"""``groupscale learn export``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pipeline.base import paths
from pipeline.cli.commands import completion
from pipeline.cli.commands.options import Debug, Warehouse, places
from pipeline.cli.exits import reporting_errors


def export(
    run_id: Annotated[
        str,
        typer.Argument(
            metavar="RUN_ID", autocompletion=completion.runs, help="Id of a run on learning."
        ),
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Folder for the policies.")
    ] = Path("policies"),
    seeds: Annotated[
        int, typer.Option(metavar="N", help="Seeds of each agent, reward and variant, from 1.")
    ] = 1,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
    warehouse: Warehouse = None,
    debug: Debug = False,
) -> None:
    """Write policies of a run to files, one per agent, reward, variant and seed."""
    with reporting_errors(debug):
        from pipeline.cli import whole_files
        from pipeline.experiments.learning.policies import policy_files
        from pipeline.inputs.policies import policy_content
        from pipeline.warehouse.storage import reader

        source = reader.of(places(warehouse))
        chosen = list(policy_files.stored(source, paths.check_run_id(run_id), seeds))
        texts = {policy_files.file_name(row): policy_content.text_of(row) for row in chosen}
        whole_files.check_folder(output, texts, force)
        whole_files.write_all(output, texts, texts)
        print(f"{len(texts)} policies are in {output}")
