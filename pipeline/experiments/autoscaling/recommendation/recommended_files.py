"""Files to deploy a recommendation with: manifest, settings of the consumers, and the figures."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from algorithms.autoscaling import registry, strategies
from algorithms.autoscaling.candidates import Candidate
from pipeline.experiments.autoscaling.recommendation import (
    consumer_settings,
    controller_files,
    going_live,
    guarded_object,
    manifests,
    prometheus_files,
    recommendation_record,
    scaler_files,
    scaler_place,
    scaler_tls,
    scaler_workload,
    time_lag_files,
)
from pipeline.experiments.autoscaling.recommendation.consumer_settings import AUTO
from pipeline.experiments.autoscaling.recommendation.judged_candidates import Judged
from pipeline.experiments.autoscaling.recommendation.manifests import PLACEHOLDERS, Target
from pipeline.experiments.autoscaling.recommendation.recommend import Recommendation
from pipeline.experiments.autoscaling.recommendation.simulation_plan import PROMETHEUS

SCALED_OBJECT = "scaledobject.yaml"
REPLICAS = "replicas.yaml"
CONSUMER = "consumer.properties"
GROUP = "group.properties"
RECORD = "recommendation.json"

_EVENTS = "lagThreshold counts events: it is right only for a workload in events/s."
_VERSION = (
    f"Brokers of Kafka {manifests.KIP_848_BROKERS} or later also need version: "
    f"'{manifests.KIP_848_BROKERS}' in the trigger."
)
_OF_GROUP = (
    "Settings of the group: kafka-configs.sh --alter --entity-type groups --add-config-file."
)
_TOLERANCE = (
    "tolerance needs Kubernetes 1.35, or the feature gate HPAConfigurableTolerance from 1.33 on."
)

NAMES = (
    *(SCALED_OBJECT, REPLICAS, CONSUMER, GROUP, RECORD),
    *(scaler_place.CONFIG, scaler_files.OBJECTS, scaler_files.KUSTOMIZATION, scaler_files.README),
    controller_files.OBJECTS,
)
"""All files that may be written."""


def texts(
    recommendation: Recommendation, workload: str, target: Target, commits: str = AUTO
) -> dict[str, str]:
    """Content of each file by name.

    recommendation: An answer that can be deployed and keeps to the objective.
    commits: Who commits: ``auto``, ``batch`` or a number of seconds.
    """
    answer = recommendation.answer
    if answer is None:
        raise ValueError("there is nothing to deploy")
    heading = (*_heading(recommendation, workload), *_of_members(target))
    record = recommendation_record.record(recommendation, workload)
    return {
        **_manifest(recommendation, answer, target, heading),
        # Consumers under the controller are not members of a group of Kafka's.
        **({} if _is_controlled(answer) else _consumers(answer, commits, heading)),
        RECORD: json.dumps(record, indent=1, ensure_ascii=False, allow_nan=False) + "\n",
    }


def _manifest(
    recommendation: Recommendation, answer: Judged, target: Target, heading: tuple[str, ...]
) -> dict[str, str]:
    run, settings = answer.run, answer.outcome.settings
    if run.candidate.strategy == "constant":
        patch = manifests.deployment_patch(settings["initial_replicas"], target)
        return {REPLICAS: _yaml([patch], (*heading, *_how(REPLICAS, target)))}
    if _is_controlled(answer):
        return _under_controller(recommendation, answer, target, heading)
    if strategies.inner_of(run.candidate.strategy) is not None:
        return _behind_keda(recommendation, answer, target, heading)
    if run.candidate.strategy == PROMETHEUS:
        return _by_prometheus(recommendation, answer, target, heading)
    if run.candidate.strategy == time_lag_files.STRATEGY:
        return _by_time_lag(recommendation, answer, target, heading)
    scaled = manifests.scaled_object(
        run.candidate, settings, target, run.consumers, recommendation.partitions
    )
    notes = _trigger_notes(answer, target, scaled)
    return {SCALED_OBJECT: _yaml([scaled], (*heading, *_how(SCALED_OBJECT, target), *notes))}


def _behind_keda(
    recommendation: Recommendation, answer: Judged, target: Target, heading: tuple[str, ...]
) -> dict[str, str]:
    one, settings, consumers = answer.run.candidate, answer.outcome.settings, answer.run.consumers
    partitions = recommendation.partitions
    most = manifests.max_replicas(settings, target, consumers, partitions)
    scaled = scaler_files.scaled_object(
        one, settings, target, consumers, partitions, answer.outcome.peak
    )
    asking = [scaled]
    if target.scaler.has_tls:
        asking = [scaler_tls.trigger_authentication(one, target), scaled]
    config = scaler_files.scaler_config(one, settings, target, most)
    objects = scaler_workload.scaler_objects(target)
    return {
        SCALED_OBJECT: _yaml(asking, (*heading, f"See {scaler_files.README}.")),
        scaler_place.CONFIG: _yaml([config], (*heading, *_edit(_scaler_options(target)))),
        scaler_files.OBJECTS: _yaml(objects, heading),
        scaler_files.KUSTOMIZATION: _yaml([scaler_files.kustomization(target)], ()),
        scaler_files.README: going_live.readme(one, target, _is_to_zero(one, settings)),
    }


def _is_to_zero(one: Candidate, settings: Mapping[str, Any]) -> bool:
    return guarded_object.is_to_zero(registry.get(one.strategy).arguments, settings)


def _is_controlled(answer: Judged) -> bool:
    return strategies.is_controlled(answer.run.candidate.strategy)


def _under_controller(
    recommendation: Recommendation, answer: Judged, target: Target, heading: tuple[str, ...]
) -> dict[str, str]:
    one, outcome = answer.run.candidate, answer.outcome
    objects = controller_files.objects(
        one, outcome.settings, target, recommendation.partitions, outcome.peak
    )
    options = {"deployment": target.deployment, "bootstrap-servers": target.servers}
    notes = (*_edit(options), f"Edit image and module too. See {scaler_files.README}.")
    return {
        controller_files.OBJECTS: _yaml(objects, (*heading, *notes)),
        scaler_files.README: controller_files.readme(one, target),
    }


def _by_prometheus(
    recommendation: Recommendation, answer: Judged, target: Target, heading: tuple[str, ...]
) -> dict[str, str]:
    one, outcome, load = answer.run.candidate, answer.outcome, recommendation.load
    if load is None:
        raise ValueError("the shares of the partitions are not known")
    scaled = prometheus_files.scaled_object(
        one, outcome.settings, target, answer.run.consumers, [*load.shares.values()], outcome.peak
    )
    options = {"deployment": target.deployment, "prometheus": target.prometheus}
    options["topic"] = next(iter(target.topics), None)
    notes = (*_edit(options), f"See {scaler_files.README}.")
    return {
        SCALED_OBJECT: _yaml([scaled], (*heading, *notes)),
        scaler_files.README: going_live.readme_of_query(one, target),
    }


def _by_time_lag(
    recommendation: Recommendation, answer: Judged, target: Target, heading: tuple[str, ...]
) -> dict[str, str]:
    one, outcome, consumers = answer.run.candidate, answer.outcome, answer.run.consumers
    partitions = recommendation.partitions
    scaled = time_lag_files.scaled_object(
        one, outcome.settings, target, consumers, partitions, outcome.peak
    )
    options = {"deployment": target.deployment, "prometheus": target.prometheus}
    options |= {"group": target.group, "topic": next(iter(target.topics), None)}
    notes = (*_edit(options), f"See {scaler_files.README}.")
    return {
        SCALED_OBJECT: _yaml([scaled], (*heading, *notes)),
        scaler_files.README: going_live.readme_of_time_lag(one, target),
    }


def _consumers(answer: Judged, commits: str, heading: tuple[str, ...]) -> dict[str, str]:
    """Settings of the consumers, and of their group where the broker has them."""
    consumers = answer.run.consumers
    commit_s = float(answer.outcome.settings.get("commit_s", consumer_settings.COMMIT_S))
    group = consumer_settings.group_properties(consumers)
    broker = consumer_settings.broker_note(consumers)
    notes = (
        "Settings of each consumer.",
        consumer_settings.commit_note(commits, commit_s),
        consumer_settings.leaving_note(float(answer.outcome.settings.get("in_flight_s", 0.0))),
        consumer_settings.roll_out_note(consumers),
        *([] if group else [broker]),
    )
    client = consumer_settings.client_properties(consumers, commits, commit_s)
    files = {CONSUMER: _properties(client, (*heading, *notes))}
    if group:
        files[GROUP] = _properties(group, (*heading, _OF_GROUP, broker))
    return files


def _heading(recommendation: Recommendation, workload: str) -> tuple[str, ...]:
    objective = recommendation.question.objective.text
    return (f"Recommended by groupscale for {_ascii(workload)} and {objective}.",)


def _of_members(target: Target) -> tuple[str, ...]:
    """How replicas differ from what was simulated."""
    if target.members_per_replica == 1:
        return ()
    return (
        f"A replica has {target.members_per_replica} members, as recorded. Members were simulated: "
        "their number is rounded up to whole replicas.",
    )


def _how(name: str, target: Target) -> tuple[str, ...]:
    """How to apply a manifest, and what must be edited, since its name was not given."""
    options = {"deployment": target.deployment}
    if name == SCALED_OBJECT:
        options |= {"bootstrap-servers": target.servers, "group": target.group}
    how = f"kubectl patch deployment {target.deployment or PLACEHOLDERS.deployment} --patch-file"
    use = f"Apply it with: {how if name == REPLICAS else 'kubectl apply -f'} {name}"
    return (use, *_edit(options))


def _scaler_options(target: Target) -> dict[str, str | None]:
    """Options that the scaler's configuration has names of."""
    return {
        "deployment": target.deployment,
        "namespace": target.namespace,
        "bootstrap-servers": target.servers,
        "group": target.group,
        "topic": next(iter(target.topics), None),
    }


def _edit(options: Mapping[str, str | None]) -> tuple[str, ...]:
    """What must be edited, since its name was not given."""
    missing = [f"--{option}" for option, value in options.items() if value is None]
    return (f"Edit the placeholders first: {', '.join(missing)}.",) if missing else ()


def _trigger_notes(answer: Judged, target: Target, scaled: Mapping[str, Any]) -> tuple[str, ...]:
    """What the trigger counts, as it was simulated, and what it requires."""
    consumers = answer.run.consumers
    rules = scaled["spec"]["advanced"]["horizontalPodAutoscalerConfig"]["behavior"].values()
    return (
        _simulated_trigger(answer, target),
        _EVENTS,
        "" if consumers.is_kip848 else _VERSION,
        _TOLERANCE if any("tolerance" in each for each in rules) else "",
    )


def _simulated_trigger(answer: Judged, target: Target) -> str:
    topics = ", ".join(target.topics)
    if manifests.is_per_topic(manifests.keda_arguments(answer.run.candidate)):
        return f"Simulated: a trigger for each topic ({topics}); the highest one counts."
    if len(target.topics) == 1:
        return f"Simulated: one trigger, with the lag of topic {topics}."
    listed = f" ({topics})" if topics else ""
    return (
        f"Simulated: one trigger, with the lag of all topics of the workload{listed} together. It "
        "names no topic, so KEDA counts all topics for which the group has committed offsets."
    )


def _yaml(documents: Sequence[Mapping[str, Any]], comments: tuple[str, ...]) -> str:
    from pipeline.base.text import yaml_text

    return _commented(comments) + yaml_text.documents(documents)


def _properties(values: Mapping[str, str], comments: tuple[str, ...]) -> str:
    return _commented(comments) + "".join(f"{key}={value}\n" for key, value in values.items())


def _commented(lines: tuple[str, ...]) -> str:
    return "".join(f"# {line}\n" for line in lines if line)


def _ascii(text: str) -> str:
    """Text for a comment: Java reads properties as Latin-1 in some versions."""
    return ascii(text)[1:-1]
