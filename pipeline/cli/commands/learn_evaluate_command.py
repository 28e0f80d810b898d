"""``groupscale learn evaluate``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from pipeline.base.text.plain_table import plain_table
from pipeline.cli.commands.options import Debug, Json, Timestamps, Values
from pipeline.cli.exits import reporting_errors
from pipeline.cli.json_rows import print_rows

if TYPE_CHECKING:
    from pipeline.inputs.traces.reading import Reading


def evaluate(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="File that learn export wrote.")],
    trace: Annotated[
        Path,
        typer.Option(metavar="FILE", help="Recorded rates; brokers are scaled every 40 s."),
    ],
    unit_rate: Annotated[
        float | None,
        typer.Option(
            metavar="RATE",
            help="Total rate that counts as a load of 1 \\[default: that of the training]",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Root seed of starts and noise.")] = 2024,
    values: Values = None,
    timestamps: Timestamps = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Evaluate a policy on the load of a trace, next to rules and the exact optimum.

    A policy of a consumer group decides each second; --unit-rate and --seed are for brokers.
    """
    with reporting_errors(debug):
        from pipeline.experiments.learning.evaluation import policy_evaluation
        from pipeline.experiments.learning.policies import policy_files
        from pipeline.inputs.policies import policy_content, policy_weights
        from pipeline.inputs.traces import reading

        said = reading.of_options(values, timestamps)
        if policy_content.read(policy)["environment"] == policy_weights.GROUP:
            _on_group(policy, trace, said, as_json)
            return
        lines = policy_evaluation.evaluate(policy_files.read(policy), trace, unit_rate, seed, said)
        if as_json:
            print_rows(line._asdict() for line in lines)
            return
        table = plain_table()
        table.add_column("policy", overflow="fold")
        for head in ("reward", "score", "brokers", "over %", "changes"):
            table.add_column(head, justify="right", no_wrap=True)
        for line in lines:
            cells = (f"{line.total_reward:.2f}", f"{line.score:.2f}", f"{line.brokers:.1f}")
            table.add_row(line.name, *cells, f"{line.over_slo_percent:.1f}", f"{line.moves:.1f}")
        Console().print(table)


def _on_group(policy: Path, trace: Path, said: Reading, as_json: bool) -> None:
    """Print a policy of a group next to rules and the clairvoyant plan."""
    from pipeline.experiments.learning.evaluation import group_evaluation

    lines = group_evaluation.evaluate(policy, trace, said)
    if as_json:
        print_rows(line._asdict() for line in lines)
        return
    table = plain_table()
    table.add_column("policy", overflow="fold")
    for head in ("regret %", "replicas", "late %", "changes"):
        table.add_column(head, justify="right", no_wrap=True)
    for line in lines:
        cells = (f"{100.0 * line.regret:.1f}", f"{line.replicas:.2f}", f"{line.late_percent:.2f}")
        table.add_row(line.name, *cells, str(line.changes))
    Console().print(table)
