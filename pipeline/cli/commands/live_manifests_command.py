"""``groupscale live manifests``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from live.live_settings import Cluster
from pipeline.cli.commands import completion
from pipeline.cli.commands.live_options import STRATEGY, Capacity, ConsumerRate
from pipeline.cli.commands.options import Debug
from pipeline.cli.exits import reporting_errors

_IMAGE = re.compile(r"[a-z0-9][A-Za-z0-9._/:@-]*")
_MODULE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")


def manifests(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Group; its topics are gs.NAME.*.")],
    bootstrap: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Brokers, as pods reach them.")
    ],
    partitions: Annotated[int, typer.Option(metavar="P", help="Partitions of gs.NAME.data.")],
    capacity: Capacity,
    consumer_rate: ConsumerRate,
    image: Annotated[
        str, typer.Option(metavar="IMAGE", help="Image of docker/Dockerfile, with your module.")
    ],
    module: Annotated[
        str | None,
        typer.Option(metavar="MODULE", help="What consumers run \\[default: they process nothing]"),
    ] = None,
    strategy: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="Assignment algorithm, or such as controller:headroom+placement.",
            autocompletion=completion.algorithms,
        ),
    ] = STRATEGY,
    consumers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Pods of consumers \\[default: P, at most 40]"),
    ] = None,
    scale: Annotated[
        bool,
        typer.Option("--scale", help="The controller scales the StatefulSet to what it uses."),
    ] = False,
    nodes: Annotated[
        int, typer.Option(metavar="N", help="Replicas of partitions, 1 or 3.")
    ] = Cluster.nodes,
    secret: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Secret with the key client.properties: TLS, SASL."),
    ] = None,
    namespace: Annotated[
        str | None, typer.Option(metavar="NAME", help="Namespace \\[default: kubectl's]")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="New file \\[default: print]"),
    ] = None,
    debug: Debug = False,
) -> None:
    """Print Kubernetes manifests of a group that runs your module. See docs/live-consumer.md."""
    with reporting_errors(debug):
        from pipeline.base.text.kubernetes_names import NAMESPACE, OBJECT, check_option

        check_option("image", image, _IMAGE, "an image", "registry.example/groupscale:1")
        check_option("module", module, _MODULE, "a module", "order_totals")
        check_option("secret", secret, OBJECT, "lowercase letters, digits, - and .", "kafka-client")
        check_option("namespace", namespace, NAMESPACE, "lowercase letters, digits and -", "events")
        scale = scale or strategy.startswith("controller:")
        if scale and consumers is not None:
            from pipeline.base.errors import InputError

            raise InputError(
                f"`--consumers` must be left out with --scale (got {consumers}): the controller "
                "decides on the number of pods"
            )
        values = {
            "name": name,
            "bootstrap": bootstrap,
            "partitions": partitions,
            "capacity": capacity,
            "consumer_rate": consumer_rate,
            "nodes": nodes,
            "strategy": strategy,
            "consumers": consumers,
        }
        own: dict[str, Any] = {"image": image, "secret": secret, "namespace": namespace}
        own["is_scaled"] = scale
        own |= {} if module is None else {"module": module}
        _write(_text(values, own), output)


def _text(values: dict[str, Any], own: dict[str, Any]) -> str:
    """YAML of all objects."""
    from live.kubernetes.group_manifests import GroupOnKubernetes, manifests
    from live.user_cluster import controlled_strategy
    from pipeline.base.text import yaml_text
    from pipeline.settings import live_group

    group = live_group.of_options(values)
    settings = live_group.settings_of(group)
    if controlled_strategy.is_controlled(group.strategy):
        controlled_strategy.check(group.strategy, settings)
    documents = manifests(GroupOnKubernetes(settings, group.strategy, group.consumers, **own))
    return yaml_text.documents(documents)


def _write(text: str, output: Path | None) -> None:
    """Print a text, or write it into a new file."""
    if output is None:
        print(text, end="")
        return
    from live.user_cluster.trace_file import check_new
    from pipeline.cli import whole_files

    check_new(output)
    with whole_files.written(output, force=False) as draft:
        draft.write_text(text, encoding="utf-8")
    print(f"Wrote {output}. Next: kubectl apply -f {output}")
