"""``groupscale scaler``."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.base.process.output import answered
from pipeline.base.process.signals import Interrupted
from pipeline.base.text.quoting import named
from pipeline.cli.commands.options import Debug, Timestamps, Values
from pipeline.cli.exits import reporting_errors

if TYPE_CHECKING:
    from live.scaler.scaler_settings import ScalerSettings, ScalerTarget


def scaler(
    config: Annotated[
        Path, typer.Option(metavar="FILE", help="Brokers, rights and groups, as YAML.")
    ],
    listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where KEDA reads counts.")
    ] = "127.0.0.1:6000",
    health_listen: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Where health and /metrics are.")
    ] = "127.0.0.1:8080",
    grpc_listen: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Where KEDA's trigger `external` asks \\[default: grpc_listen of the file, else "
            "nowhere]",
        ),
    ] = None,
    shadow: Annotated[
        bool, typer.Option("--shadow", help="Decide and log, and send KEDA no count.")
    ] = False,
    replay: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Print its decisions on recorded rates, and end.",
        ),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="NAMESPACE/NAME", help="With --replay: which group, if there are several."
        ),
    ] = None,
    values: Values = None,
    timestamps: Timestamps = None,
    debug: Debug = False,
) -> None:
    """Tell KEDA how many replicas a group needs. See docs/own-cluster.md."""
    paths.set_defaults()
    with reporting_errors(debug):
        from live.scaler import scaler_settings

        settings = scaler_settings.read(config)
        if replay is None:
            if group is not None:
                raise InputError("`--group` is for --replay; leave it out, all groups are served")
            _serve(settings, listen, health_listen, grpc_listen or settings.grpc_listen, shadow)
            return
        with answered():
            _replay(settings, _target(settings, group), replay, values, timestamps)


def _serve(
    settings: ScalerSettings, listen: str, health_listen: str, grpc_listen: str, shadow: bool
) -> None:
    # A decision every few seconds needs no machine code, which takes 70 MB and some seconds to
    # load. Set before anything imports Numba.
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    from live.scaler import answer_server, scaler_process

    addresses = scaler_process.Addresses(
        answer_server.address("--listen", listen),
        answer_server.address("--health-listen", health_listen),
        answer_server.address("--grpc-listen", grpc_listen) if grpc_listen else None,
    )
    try:
        scaler_process.run(settings, addresses, shadow)
    except Interrupted:
        # Ctrl-C and SIGTERM are the usual ends.
        return


def _target(settings: ScalerSettings, name: str | None) -> ScalerTarget:
    if name is None and len(settings.targets) == 1:
        return next(iter(settings.targets.values()))
    target = settings.targets.get(name or "")
    if target is None:
        got = "nothing" if name is None else named(name)
        raise InputError(f"`--group` must be one of {', '.join(settings.targets)} (got {got})")
    return target


def _replay(
    settings: ScalerSettings,
    target: ScalerTarget,
    file: Path,
    values: str | None,
    timestamps: str | None,
) -> None:
    from live.scaler import scaler_replay
    from pipeline.experiments.autoscaling.simulation import simulation_settings
    from pipeline.experiments.autoscaling.workloads import workload_source
    from pipeline.inputs.traces import reading

    group = simulation_settings.check_alone({})
    split, how = workload_source.split_of(None), reading.of_options(values, timestamps)
    load = workload_source.load(str(file), None, split, {}, group, how)
    every = scaler_replay.replay(
        target, load.rates, load.step_s, settings.clock.look_s, target.min_replicas, load.sizes
    )
    print("time_s,replicas,events_per_s,lag")
    for asked in every:
        print(f"{asked.time_s:g},{asked.replicas},{asked.rate:.6g},{asked.lag:.0f}")
