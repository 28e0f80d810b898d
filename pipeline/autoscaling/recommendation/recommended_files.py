"""Files to deploy a recommendation with: manifest, settings of the consumers, and the figures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pipeline.autoscaling.recommendation import consumer_settings, manifests, recommendation_record
from pipeline.autoscaling.recommendation.judged_candidates import Judged
from pipeline.autoscaling.recommendation.manifests import PLACEHOLDERS, Target
from pipeline.autoscaling.recommendation.recommend import Recommendation

SCALED_OBJECT = "scaledobject.yaml"
REPLICAS = "replicas.yaml"
CONSUMER = "consumer.properties"
GROUP = "group.properties"
RECORD = "recommendation.json"

_EVENTS = "lagThreshold counts events: it is right only for a workload in events/s."

NAMES = (SCALED_OBJECT, REPLICAS, CONSUMER, GROUP, RECORD)
"""All files that may be written."""


def texts(recommendation: Recommendation, workload: str, target: Target) -> dict[str, str]:
    """Content of each file by name.

    Parameters
    ----------
    recommendation
        An answer that can be deployed and keeps to the objective.
    workload
        Name of the workload.
    target
        Names of what is deployed.
    """
    answer = recommendation.answer
    if answer is None:
        raise ValueError("there is nothing to deploy")
    name, manifest = _manifest(answer, target)
    group = consumer_settings.group_properties(answer.run.consumers)
    settings = {CONSUMER: consumer_settings.client_properties(answer.run.consumers)}
    if group:
        settings[GROUP] = group
    bounded = GROUP if group else CONSUMER
    note = consumer_settings.broker_note(answer.run.consumers)
    record = recommendation_record.record(recommendation, workload)
    heading = _heading(recommendation, workload)
    return {
        name: _yaml(manifest, (*heading, *_how(name, target))),
        **{
            file: _properties(values, (*heading, _use(file), *([note] if file == bounded else [])))
            for file, values in settings.items()
        },
        RECORD: json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
    }


def _manifest(answer: Judged, target: Target) -> tuple[str, dict[str, Any]]:
    candidate, settings = answer.run.candidate, answer.outcome.settings
    if candidate.strategy == "constant":
        return REPLICAS, manifests.deployment_patch(settings["initial_replicas"], target)
    return SCALED_OBJECT, manifests.scaled_object(candidate, settings, target)


def _heading(recommendation: Recommendation, workload: str) -> tuple[str, ...]:
    objective = recommendation.question.objective.text
    return (f"Recommended by groupscale for {_ascii(workload)} and {objective}.",)


def _how(name: str, target: Target) -> tuple[str, ...]:
    """How to apply a manifest, and what must be edited, since its name was not given."""
    options = {"deployment": target.deployment}
    if name == SCALED_OBJECT:
        options |= {"bootstrap-servers": target.servers, "group": target.group}
    missing = [f"--{option}" for option, value in options.items() if value is None]
    how = f"kubectl patch deployment {target.deployment or PLACEHOLDERS.deployment} --patch-file"
    use = f"Apply it with: {how if name == REPLICAS else 'kubectl apply -f'} {name}"
    edit = (f"Edit the placeholders first: {', '.join(missing)}.",) if missing else ()
    return (use, *edit, *((_EVENTS,) if name == SCALED_OBJECT else ()))


def _use(file: str) -> str:
    if file == CONSUMER:
        return "Settings of each consumer."
    return "Settings of the group: kafka-configs.sh --alter --entity-type groups --add-config-file."


def _yaml(document: Mapping[str, Any], comments: tuple[str, ...]) -> str:
    from pipeline.text import yaml_text

    return _commented(comments) + yaml_text.document(document)


def _properties(values: Mapping[str, str], comments: tuple[str, ...]) -> str:
    return _commented(comments) + "".join(f"{key}={value}\n" for key, value in values.items())


def _commented(lines: tuple[str, ...]) -> str:
    return "".join(f"# {line}\n" for line in lines if line)


def _ascii(text: str) -> str:
    """Text for a comment: Java reads properties as Latin-1 in some versions."""
    return ascii(text)[1:-1]
