"""README of the files of a strategy behind KEDA: how to go live, and back; one screen."""

from __future__ import annotations

from algorithms.autoscaling import registry, strategies
from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.recommendation import (
    cluster_versions,
    scaler_place,
    scaler_tls,
)
from pipeline.experiments.autoscaling.recommendation.manifests import (
    DEFAULT_TOLERANCE,
    PLACEHOLDERS,
    Target,
)

_SWALLOWED_FROM = round(1 / DEFAULT_TOLERANCE)


def readme(one: Candidate, target: Target) -> str:
    """How to go live with the files."""
    namespace, name = scaler_place.place(target)
    return _README.format(
        strategy=one.label,
        name=name,
        namespace=namespace,
        group=target.group or PLACEHOLDERS.group,
        topics="each topic" if len(target.topics) > 1 else "the topic",
        scaler=scaler_place.scaler_of(target),
        image=target.scaler.image,
        tls=_tls(target),
        keda=cluster_versions.text(least_keda(one)),
        steps=_steps(one),
    )


def least_keda(one: Candidate) -> cluster_versions.Version:
    """The oldest KEDA that the files of a strategy behind KEDA are for."""
    is_external = one.strategy.startswith(f"{strategies.FORMS[1]}:")
    return cluster_versions.EXTERNAL_KEDA if is_external else cluster_versions.OLDEST_KEDA


def _steps(one: Candidate) -> str:
    """What the pod autoscaler's tolerance does to small steps."""
    arguments = {**registry.get(one.strategy).arguments, **one.arguments}
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
   first, with `--shadow` added to the command, and compare its log with today's replicas.
4. Remove `spec.replicas` of {name} from your sources (or let Argo CD or Flux ignore it).
5. An existing ScaledObject of {name}: edit it. An existing HorizontalPodAutoscaler: add the
   annotation `scaledobject.keda.sh/transfer-hpa-ownership: "true"` and its name as
   `advanced.horizontalPodAutoscalerConfig.name`; it goes when the ScaledObject goes.
6. Remove `--shadow`, then `kubectl apply -k . --namespace {namespace}`.

If the scaler is away, the present count holds; after about 90 s KEDA raises the group to
`fallback.replicas` and never lowers it. With KEDA's operator down, nothing scales.

{steps}

Going back
Annotate the ScaledObject with `autoscaling.keda.sh/paused-scale-in: "true"`, apply the old file,
then delete the Deployment {scaler}. Deleting a ScaledObject keeps the present count.
"""
