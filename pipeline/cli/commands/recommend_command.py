"""``groupscale recommend``."""

from __future__ import annotations

import json
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.base.process.output import answered
from pipeline.cli.commands import completion
from pipeline.cli.commands.event_options import Survive
from pipeline.cli.commands.options import (
    Commits,
    Debug,
    JsonFormat,
    OutageLength,
    Partitions,
    Retention,
    SharedLimit,
    Split,
    TableFormat,
    Timestamps,
    Values,
    Workload,
    format_of,
)
from pipeline.cli.exits import MISSED, reporting_errors

if TYPE_CHECKING:
    from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
    from pipeline.experiments.autoscaling.recommendation.simulation_plan import RecommendationPlan
    from pipeline.experiments.autoscaling.workloads.workload_source import Workload as Load


def recommend(
    workload: Workload,
    mu: Annotated[
        str,
        typer.Option(
            metavar="RATE", help="Events/s that one consumer serves, such as 200 or 5k/s."
        ),
    ],
    slo: Annotated[
        str,
        typer.Option(
            metavar="SHARE@LATENCY",
            help="Share of the events within a latency, such as 99%@0.5s or 99.9%@250ms.",
        ),
    ],
    replica_cost: Annotated[
        str,
        typer.Option(metavar="PRICE", help="Price of a replica for an hour, such as 0.048USD."),
    ] = "1",
    spot_price: Annotated[
        str | None,
        typer.Option(
            metavar="PRICE@SHARE",
            help="Price of a spot instance for an hour, and which share of the replicas they are, "
            "such as 0.015USD@0.3.",
        ),
    ] = None,
    late_cost: Annotated[
        float, typer.Option(metavar="PRICE", help="Price of an event above the latency.")
    ] = 0.0,
    move_cost: Annotated[
        float, typer.Option(metavar="PRICE", help="Price of a partition that moves.")
    ] = 0.0,
    strategy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            autocompletion=completion.strategies,
            help="Strategy to consider, as NAME, NAME:PARAMETER=VALUE:… or NAME:sweep. Repeatable, "
            "or a list separated by commas \\[default: sweeps of common strategies]",
        ),
    ] = None,
    partitions: Partitions = None,
    split: Split = None,
    values: Values = None,
    timestamps: Timestamps = None,
    set_: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            autocompletion=completion.group_keys,
            help="Setting of the group or the workload, such as startup_s=20 or assignor=sticky. "
            "Repeatable.",
        ),
    ] = None,
    commits: Commits = None,
    shared_limit: SharedLimit = None,
    outage: OutageLength = None,
    retention: Retention = None,
    survive: Survive = None,
    allow_blind: Annotated[
        bool,
        typer.Option(
            "--allow-blind",
            help="Recommend also what shrinks while its metric is missing or wrong.",
        ),
    ] = False,
    today: Annotated[
        int | None,
        typer.Option(metavar="N", help="Replicas that the group has now, constant."),
    ] = None,
    confidence: Annotated[
        float,
        typer.Option(
            metavar="CHANCE", help="Chance with which the next week must keep the objective."
        ),
    ] = 0.95,
    worth: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="Share of the cost that a less simple choice must save, in 80 % of the weeks that "
            "may follow.",
        ),
    ] = 0.05,
    day_spread: Annotated[
        float,
        typer.Option(
            metavar="SHARE", help="How much days differ where the recording does not show it."
        ),
    ] = 0.2,
    within_step: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            help="How much the load varies within a recorded step that is longer than the latency.",
        ),
    ] = 0.3,
    what_if: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHANGES",
            help="Answer as well for another load, number of partitions or speed of consumers: "
            "load=2,partitions=80,mu=1.5. Repeatable.",
        ),
    ] = None,
    style: TableFormat = None,
    as_json: JsonFormat = False,
    output: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Write page, manifest and consumer settings to this folder."
        ),
    ] = None,
    open_: Annotated[
        bool, typer.Option("--open", help="Show the page of --output in a browser.")
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Draw capacity over load, and the lag, to an SVG or PNG file."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Replace files of an earlier recommendation.")
    ] = False,
    deployment: Annotated[
        str | None, typer.Option(metavar="NAME", help="Deployment of the consumers.")
    ] = None,
    namespace: Annotated[
        str | None, typer.Option(metavar="NAME", help="Namespace of the Deployment.")
    ] = None,
    bootstrap_servers: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Brokers, separated by commas.")
    ] = None,
    group: Annotated[str | None, typer.Option(metavar="NAME", help="Consumer group.")] = None,
    topic: Annotated[
        str | None, typer.Option(metavar="NAME", help="Topic \\[default: all of the group]")
    ] = None,
    kubernetes: Annotated[
        str, typer.Option(metavar="VERSION", help="Kubernetes of the cluster.")
    ] = "1.33",
    keda: Annotated[str, typer.Option(metavar="VERSION", help="KEDA of the cluster.")] = "2.20",
    keda_namespace: Annotated[
        str, typer.Option(metavar="NAME", help="Namespace of KEDA's operator.")
    ] = "keda",
    prometheus: Annotated[
        str | None, typer.Option(metavar="URL", help="Prometheus that KEDA may ask.")
    ] = None,
    exporter: Annotated[
        str, typer.Option(metavar="NAME", help="Its exporter: kafka_exporter or kminion.")
    ] = "kafka_exporter",
    scaler_image: Annotated[
        str, typer.Option(metavar="IMAGE", help="Image of the scaler.")
    ] = "groupscale-scaler:0.1.0",
    scaler_tls: Annotated[
        bool,
        typer.Option("--scaler-tls", help="Have KEDA ask the scaler with TLS. See docs/deploy.md."),
    ] = False,
    debug: Debug = False,
) -> None:
    """Find the cheapest way to scale a group within an objective. See docs/recommend.md."""
    paths.set_defaults()
    with reporting_errors(debug), answered():
        from pipeline.cli import recommendation_options, simulation_answer, whole_files
        from pipeline.cli.survey import survey_options
        from pipeline.experiments.autoscaling.answers import answer_files, money
        from pipeline.experiments.autoscaling.recommendation import (
            changes,
            cluster_versions,
            manifests,
            scaler_options,
            whole_answer,
        )
        from pipeline.experiments.autoscaling.simulation import plot_file

        form = format_of(style, as_json) or simulation_answer.TABLE
        simulation_answer.check(form)
        target = manifests.check_target(
            manifests.Target(
                deployment, namespace, bootstrap_servers, group, topic,
                cluster=cluster_versions.of_options(kubernetes, keda, keda_namespace),
                prometheus=prometheus, exporter=exporter,
                scaler=scaler_options.of_options(scaler_image, scaler_tls),
            )
        )  # fmt: skip
        if output is not None:
            whole_files.check_folder(output, answer_files.NAMES, force)
        elif open_:
            raise InputError("--open shows the page that --output writes; add --output DIR")
        if plot is not None:
            plot_file.check(plot, 1)
        hourly, currency, spot = money.of_replicas(replica_cost, spot_price)
        rate = survey_options.given_rate("--mu", mu)
        for text in what_if or []:
            changes.parse(text, None)
        load, plan = recommendation_options.planned(
            workload, partitions, split, set_ or [], rate, slo, strategy or [],
            (hourly, late_cost, move_cost), (confidence, worth, day_spread, within_step),
            today, (values, timestamps), (commits, shared_limit), target, currency,
            (outage, retention), spot, allow_blind, survive,
        )  # fmt: skip
        own = [(text, changes.parse(text, load.rates.shape[1])) for text in what_if or []]
        recommendation = whole_answer.whole(plan, load.group, own, sys.stderr)
        _print(recommendation, load, form)
        if plot is not None:
            plot_file.write(plot, answer_files.picture(recommendation, plan.bench, load))
        if output is not None and recommendation.is_met and recommendation.fits:
            _write(plan, recommendation, load, commits, output, form)
            if open_:
                webbrowser.open((output.resolve() / answer_files.PAGE).as_uri())
        elif output is not None:
            _say_unwritten(recommendation, output)
    if not recommendation.is_met or (output is not None and not recommendation.fits):
        raise typer.Exit(MISSED)


def _say_unwritten(recommendation: Recommendation, output: Path) -> None:
    """Say that nothing is written, and which objective could be kept."""
    from pipeline.experiments.autoscaling.answers import recommendation_text

    if not recommendation.fits:
        print(
            f"Nothing is written to {output}: the simulation does not fit today's group.",
            file=sys.stderr,
        )
        return
    other = recommendation_text.attainable(recommendation)
    remedy = "" if other is None else f" {other}."
    if recommendation.answer is None:
        print(f"Nothing is written to {output}: no candidate can be deployed.", file=sys.stderr)
        return
    print(f"Nothing is written to {output}: the objective is not kept.{remedy}", file=sys.stderr)


def _print(recommendation: Recommendation, load: Load, style: str) -> None:
    from rich.console import Console

    from pipeline.base.text.printable import printable
    from pipeline.cli import simulation_answer
    from pipeline.experiments.autoscaling.answers import recommendation_text
    from pipeline.experiments.autoscaling.recommendation import recommendation_record
    from pipeline.experiments.autoscaling.workloads import workload_notes
    from pipeline.inputs.traces import hot_partitions

    if style == simulation_answer.JSON:
        record = recommendation_record.record(recommendation, load.name)
        record["notes"] = workload_notes.of(load)
        print(json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False))
        return
    # Outside a terminal, lines are as long as they need to be.
    is_terminal = sys.stdout.isatty()
    console = Console(
        highlight=False, markup=False, emoji=False, width=None if is_terminal else 1_000
    )
    width = console.width if is_terminal else None
    mu, many = recommendation.question.mu, recommendation.hot
    hot = hot_partitions.sentence(load.fastest, mu, "--mu", many)
    for part in recommendation_text.parts(
        recommendation, printable(load.name), printable(hot), width
    ):
        console.print(part)
    for note in workload_notes.of(load):
        console.print(printable(f"Note: {note}"))


def _write(
    plan: RecommendationPlan,
    recommendation: Recommendation,
    load: Load,
    commits: str | None,
    folder: Path,
    style: str,
) -> None:
    from pipeline.cli import simulation_answer, whole_files
    from pipeline.experiments.autoscaling.answers import answer_files
    from pipeline.experiments.autoscaling.simulation import simulation_settings

    texts = answer_files.texts(
        recommendation, plan.bench, load, commits or simulation_settings.AUTO
    )
    whole_files.write_all(folder, texts, answer_files.NAMES)
    if style == simulation_answer.TABLE:
        print(f"Written to {folder}: {', '.join(texts)}")
