"""The scaler's Helm chart, rendered from the objects that `recommend` writes.

``python -m pipeline.experiments.autoscaling.recommendation.chart_files`` writes it to docker/chart.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pipeline.base.text import yaml_text
from pipeline.experiments.autoscaling.recommendation import (
    cluster_versions,
    scaler_options,
    scaler_workload,
)
from pipeline.experiments.autoscaling.recommendation.manifests import Target
from pipeline.experiments.autoscaling.recommendation.scaler_place import CONFIG, scaler_of

CHART = Path(__file__).parents[4] / "docker" / "chart"

_HEAD = "# Rendered by `python -m pipeline.experiments.autoscaling.recommendation.chart_files`.\n"

_CHART = {
    "apiVersion": "v2",
    "name": "groupscale-scaler",
    "description": "Tells KEDA how many replicas a Kafka consumer group needs.",
    "type": "application",
    "version": "0.1.0",
    "appVersion": "0.1.0",
}

VALUES: dict[str, tuple[Any, str]] = {
    "image": (scaler_options.DEFAULT.image, "Image of docker/scaler.Dockerfile, as nodes find it."),
    "config": ("", f"Text of {CONFIG}: --set-file config={CONFIG}"),
    "clientSecret": (
        "groupscale-client",
        "Secret that is mounted at /etc/groupscale-client, if there is one.",
    ),
    "shadow": (False, "Decide and log, and send KEDA no count."),
    "brokerPort": (9092, "Port of the brokers, which the NetworkPolicy lets the scaler reach."),
    "kedaNamespace": (cluster_versions.DEFAULT.keda_namespace, "Namespace of KEDA's operator."),
}
"""What a user may set: default and meaning."""

_CLIENT = {"name": "client", "mountPath": "/etc/groupscale-client", "readOnly": True}
_OPTION = "SHADOW"
_PORT = 65535
_IF_SHADOW = "{{- if .Values.shadow }}\n%s- --shadow\n%s{{- end }}"
# A name of its own for each content: a changed one starts the pod again.
_MAP_NAME = "{{ .Release.Name }}-{{ .Values.config | sha256sum | trunc 10 }}"
_CONTENT = '{{ required "give --set-file config=scaler.yaml" .Values.config | indent 4 }}'


def files() -> dict[str, str]:
    """Content of each file of the chart by its path."""
    values = "".join(
        f"# {meaning}\n{yaml_text.documents([{name: default}])}"
        for name, (default, meaning) in VALUES.items()
    )
    return {
        "Chart.yaml": _HEAD + yaml_text.documents([_CHART]),
        "values.yaml": _HEAD + values,
        "templates/scaler.yaml": _HEAD + _objects(),
    }


def _objects() -> str:
    target = Target(
        deployment="release",
        namespace="{{ .Release.Namespace }}",
        servers=f"kafka:{_PORT}",
        cluster=cluster_versions.DEFAULT._replace(keda_namespace="{{ .Values.kedaNamespace }}"),
    )
    deployment, *others = scaler_workload.scaler_objects(target)
    pod = deployment["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    container["image"] = "{{ .Values.image }}"
    container["command"].append(_OPTION)
    container["volumeMounts"].append(_CLIENT)
    for volume in pod["volumes"]:
        if "configMap" in volume:
            volume["configMap"]["name"] = _MAP_NAME
    secret = {"secretName": "{{ .Values.clientSecret }}", "optional": True}
    pod["volumes"].append({"name": _CLIENT["name"], "secret": secret})
    config = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {**deployment["metadata"], "name": _MAP_NAME},
        "data": {CONFIG: "CONTENT"},
    }
    text = yaml_text.documents([config, deployment, *others])
    for before, after in (
        (" CONTENT\n", f" |\n{_CONTENT}\n"),
        (f": {scaler_of(target)}\n", ": '{{ .Release.Name }}'\n"),
        (f": {_PORT}\n", ": {{ .Values.brokerPort }}\n"),
    ):
        text = text.replace(before, after)
    return _with_shadow(text)


def _with_shadow(text: str) -> str:
    lines = text.split("\n")
    (place,) = (number for number, line in enumerate(lines) if line.strip() == f"- {_OPTION}")
    indent = lines[place].partition("-")[0]
    lines[place] = indent + _IF_SHADOW % (indent, indent)
    return "\n".join(lines)


def main() -> None:
    """Write the files."""
    for name, text in files().items():
        file = CHART / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
