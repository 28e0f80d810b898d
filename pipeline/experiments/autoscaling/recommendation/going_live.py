"""README of the files of a strategy behind KEDA: how to go live, and back; one screen."""

from __future__ import annotations

from typing import Any

from algorithms.autoscaling import strategies
from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.recommendation import (
    cluster_versions,
    scaler_place,
    scaler_tls,
    time_lag_files,
)
from pipeline.experiments.autoscaling.recommendation.manifests import (
    DEFAULT_TOLERANCE,
    PLACEHOLDERS,
    Target,
    arguments_of,
)
from pipeline.inputs.prometheus import exported_time_lag

_SWALLOWED_FROM = round(1 / DEFAULT_TOLERANCE)


def readme(one: Candidate, target: Target, is_to_zero: bool = False) -> str:
    """How to go live with the files. is_to_zero: Whether an idle group has no replicas."""
    namespace, name = scaler_place.place(target)
    return _README.format(
        strategy=one.label,
        name=name,
        namespace=namespace,
        group=target.group or PLACEHOLDERS.group,
        topics="each topic" if len(target.topics) > 1 else "the topic",
        scaler=scaler_place.scaler_of(target),
        port=scaler_place.ANSWERS,
        image=target.scaler.image,
        tls=_tls(target),
        keda=cluster_versions.text(least_keda(one, is_to_zero)),
        hand_over=_hand_over(4, target),
        away=_AWAY.format(when="If the scaler is away") + (_FROM_ZERO if is_to_zero else ""),
        steps=_steps(one),
    )


def readme_of_query(one: Candidate, target: Target) -> str:
    """How to go live with a trigger that asks a Prometheus."""
    return _OF_QUERY.format(**_asking_prometheus(one, target), exporter=target.exporter)


def readme_of_time_lag(one: Candidate, target: Target) -> str:
    """How to go live with a trigger that asks a Prometheus for a time lag."""
    words, target_s = _asking_prometheus(one, target), arguments_of(one)["target_s"]
    exporter = exported_time_lag.EXPORTER
    return _OF_TIME_LAG.format(**words, exporter=exporter, target=target_s)


def _asking_prometheus(one: Candidate, target: Target) -> dict[str, Any]:
    """What both say of a trigger that asks a Prometheus."""
    arguments = arguments_of(one)
    return {
        "strategy": one.label,
        "name": target.deployment or PLACEHOLDERS.deployment,
        "namespace": target.namespace or "default",
        "prometheus": target.prometheus or PLACEHOLDERS.prometheus,
        "scrape": arguments["scrape_s"],
        "keda": cluster_versions.text(least_keda(one)),
        "hand_over": _hand_over(3, target),
        "away": _AWAY.format(when="While there is no value"),
        "steps": _steps(one),
    }


def least_keda(one: Candidate, is_to_zero: bool = False) -> cluster_versions.Version:
    """The oldest KEDA that the files of a strategy behind KEDA are for."""
    if one.strategy.startswith(f"{strategies.FORMS[1]}:"):
        return cluster_versions.EXTERNAL_KEDA
    if one.strategy == time_lag_files.STRATEGY:
        return cluster_versions.VALUE_KEDA
    return cluster_versions.ZERO_KEDA if is_to_zero else cluster_versions.OLDEST_KEDA


def _hand_over(first: int, target: Target) -> str:
    """Two steps, from a number on, after which nothing else scales the Deployment."""
    name = target.deployment or PLACEHOLDERS.deployment
    return _HAND_OVER.format(first=first, second=first + 1, name=name)


def _steps(one: Candidate) -> str:
    """What the pod autoscaler's tolerance does to small steps."""
    arguments = arguments_of(one)
    up, down = arguments["tolerance_up"], arguments["tolerance_down"]
    form = _SWALLOWED if up == down == DEFAULT_TOLERANCE else _WRITTEN
    return form.format(n=_SWALLOWED_FROM, up=up, down=down, needs=cluster_versions.TOLERANCE_NEEDS)


def _tls(target: Target) -> str:
    """Which Secrets must be there first."""
    if not target.scaler.has_tls:
        return ""
    return _TLS.format(
        own=scaler_tls.own_secret(target),
        keda=scaler_tls.keda_secret(target),
        host=scaler_place.host(target),
        keys=", ".join((scaler_tls.CERT, scaler_tls.KEY, scaler_tls.CA)),
    )


_TLS = """
   TLS: make the Secrets {own}, with a certificate of the host
   {host}, and {keda}, with KEDA's. Both have
   {keys}, the last one being the authority of the other side.\
"""

_SWALLOWED = """\
From {n} replicas on, a step of one is swallowed both ways, as simulated: the pod autoscaler's
tolerance is 10 %. With {needs}, give recommend both as --kubernetes
and --keda: 0 is then written."""

_WRITTEN = """\
The pod autoscaler's tolerance is written, as simulated: {up:g} up and {down:g} down (0 obeys each
step). It needs {needs}."""

_HAND_OVER = """\
{first}. Remove `spec.replicas` of {name} from your sources (or let Argo CD or Flux ignore it).
{second}. An existing ScaledObject of {name}: edit it. An existing HorizontalPodAutoscaler: add the
   annotation `scaledobject.keda.sh/transfer-hpa-ownership: "true"` and its name as
   `advanced.horizontalPodAutoscalerConfig.name`; it goes when the ScaledObject goes."""

_AWAY = """\
{when}, the present count holds; after about 90 s KEDA raises the group to
`fallback.replicas` and never lowers it. With KEDA's operator down, nothing scales."""

_FROM_ZERO = """
Without records for `cooldown_s` and then `cooldownPeriod`, there are no replicas: an outage of the
scaler, or a new pod of it, wakes the group. `offset_reset` in scaler.yaml is that of the consumers;
with `latest`, a partition without a commit keeps the group awake."""

_README = """\
# {strategy} for {name}

`scaler.yaml` says what the scaler decides, `scaler-objects.yaml` runs it, and KEDA ({keda} or
later) asks it by `scaledobject.yaml`. Names that are placeholders must be edited first.

Going live
1. Build the image `{image}` with docker/scaler.Dockerfile, and push it.{tls}
2. Give the scaler's user Describe on {topics} and on the group {group}. For TLS and
   SASL, mount a client properties file from a Secret, and name it as `config:` in scaler.yaml.
   If brokers advertise other ports than those of `egress:` in scaler-objects.yaml, add them there.
3. `kubectl kustomize .` shows what will be applied. Apply `scaler-objects.yaml` and the ConfigMap
   first: without a ScaledObject no replica changes. Compare what it would ask for, by
   `kubectl port-forward --namespace {namespace} deployment/{scaler} {port}` and
   `curl localhost:{port}/v1/{namespace}/{name}`, with today's replicas.
{hand_over}
6. `kubectl apply -k . --namespace {namespace}`.

{away}

{steps}

Going back
Annotate the ScaledObject with `autoscaling.keda.sh/paused-scale-in: "true"`, apply the old file,
then delete the Deployment {scaler}. Deleting a ScaledObject keeps the present count.
"""

_OF_QUERY = """\
# {strategy} for {name}

Nothing new runs in the cluster: KEDA ({keda} or later) asks Prometheus for the rate at which the
topic is written, and a table of thresholds in `scaledobject.yaml` makes replicas of it.

Going live
1. Prometheus must scrape {exporter} every {scrape:g} s; where it does not, ask recommend for the
   strategy with `scrape_s`. If several Kafka clusters have the topic, add a label to each selector
   of the query. For TLS or a login, add a TriggerAuthentication.
2. Ask the query at `serverAddress`, {prometheus}
   It must give one value, the events per second of today's peaks. While a partition or a scrape
   is missing, or offsets have gone back, it gives none.
{hand_over}
5. `kubectl apply --filename scaledobject.yaml --namespace {namespace}`

{away}

The table has the shares of the recording's partitions: recommend again when they change, when
partitions are added, or when consumers become faster or slower.

{steps}

Going back
Annotate the ScaledObject with `autoscaling.keda.sh/paused-scale-in: "true"`, then apply the old
file. Deleting a ScaledObject keeps the present count.
"""

_OF_TIME_LAG = """\
# {strategy} for {name}

Nothing new runs in the cluster: KEDA ({keda} or later) asks Prometheus for the time lag of the
group, the age of its oldest unread event. The pod autoscaler multiplies the replicas by its ratio
to {target:g} s: at twice that there will be twice as many, without a time lag the fewest.

Going live
1. Prometheus must scrape {exporter} or klag-exporter every {scrape:g} s, which looks at the
   offsets as often (`poll-interval`). kafka_exporter and KMinion have no time lag. If several Kafka
   clusters have the group, add a label to each selector of the query. For TLS or a login, add a
   TriggerAuthentication.
2. Ask the query at `serverAddress`, {prometheus}
   It must give one value, in seconds. While a partition has no time lag, it gives none.
{hand_over}
5. `kubectl apply --filename scaledobject.yaml --namespace {namespace}`

{away}

The type of the metric is Value: replicas do not share a time lag, as they share the number of
events. Do not change it to AverageValue.

Going back
Annotate the ScaledObject with `autoscaling.keda.sh/paused-scale-in: "true"`, then apply the old
file. Deleting a ScaledObject keeps the present count.
"""
