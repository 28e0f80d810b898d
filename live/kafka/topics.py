"""The topics of a run: created, listed and deleted, with calls that end in time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as OutOfTime
from contextlib import suppress

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient

from live.kafka import admin_client, topic_retention
from live.kafka.admin_client import ClusterView
from live.kafka.topic_settings import COMMAND_PARTITIONS, KINDS, created_kinds, new_topic
from live.live_settings import LiveSettings
from pipeline.base.errors import InputError, StageError

CHANGE_SECONDS = 15.0
"""Time limit of a call that creates or deletes topics."""

WAIT_SECONDS = 30.0
"""Time limit for topics to appear, or to vanish, on a busy machine."""

_PREFIX = "gs."


def create(settings: LiveSettings, retention_bytes: int | None = None) -> None:
    """Create the topics of a run, and wait until all partitions have a leader.

    retention_bytes: Bytes that each partition of ``data`` keeps at least; older ones may go. None:
        all.
    Raises InputError if no broker answers, there are topics of this run already, or the cluster's
        policies shorten their retention.
    Raises StageError if they cannot be created; then none is left.
    """
    client = admin_client.connect(settings.bootstrap, settings.security.confluent)
    present = _names(_view(client, settings.bootstrap), settings.run)
    if present:
        raise InputError(
            f"topics of run {settings.run!r} exist already ({', '.join(present)}); choose another "
            "run id, or delete them with `groupscale live clean`"
        )
    topics = [new_topic(settings, kind, retention_bytes) for kind in created_kinds(settings)]
    failures = _failures(client.create_topics(topics, request_timeout=CHANGE_SECONDS))
    try:
        _check(failures, "create")
        _wait_for_leaders(client, settings)
        for topic in topics:
            if topic.topic == settings.topic("data"):
                topic_retention.check(client, topic.topic, topic.config)
    except (StageError, InputError):
        # What another run has created meanwhile is among the failures.
        with suppress(StageError):
            _delete(client, [topic.topic for topic in topics if topic.topic not in failures])
        raise


def of_run(bootstrap: str, run: str, properties: Mapping[str, object] | None = None) -> list[str]:
    """Existing topics of a run, in the order of `KINDS`. Raises InputError without a broker."""
    return _names(_view(admin_client.connect(bootstrap, properties), bootstrap), run)


def runs(bootstrap: str, properties: Mapping[str, object] | None = None) -> list[str]:
    """Runs that have topics, sorted. Raises InputError if no broker answers."""
    names = _view(admin_client.connect(bootstrap, properties), bootstrap).leaders
    parts = [name.removeprefix(_PREFIX).rpartition(".") for name in names if is_ours(name)]
    return sorted({run for run, _, _ in parts})


def delete(bootstrap: str, run: str, properties: Mapping[str, object] | None = None) -> list[str]:
    """Delete the topics of a run, wait until they are gone, and return their names.

    Raises InputError if no broker answers.
    Raises StageError if they cannot be deleted.
    """
    client = admin_client.connect(bootstrap, properties)
    names = _names(_view(client, bootstrap), run)
    _delete(client, names)
    return names


def is_ours(name: str) -> bool:
    """Whether a topic has the name of one that a run creates."""
    return name.startswith(_PREFIX) and name.rpartition(".")[2] in KINDS


def _names(view: ClusterView, run: str) -> list[str]:
    names = [f"{_PREFIX}{run}.{kind}" for kind in KINDS]
    return [name for name in names if name in view.leaders]


def _view(client: AdminClient, bootstrap: str) -> ClusterView:
    view = admin_client.look(client)
    if view is None:
        raise InputError(
            f"no Kafka broker answers at {bootstrap} within {admin_client.CALL_SECONDS:.0f} s; "
            "check --bootstrap"
        )
    return view


def _wait_for_leaders(client: AdminClient, settings: LiveSettings) -> None:
    sizes = {settings.topic("data"): settings.partitions}
    sizes[settings.topic("command")] = COMMAND_PARTITIONS

    def are_ready() -> bool:
        view = admin_client.look(client)
        if view is None or len(_names(view, settings.run)) < len(created_kinds(settings)):
            return False
        leaders = {name: view.leaders[name] for name in _names(view, settings.run)}
        return all(
            len(each) == sizes.get(name, 1) and min(each.values()) >= 0
            for name, each in leaders.items()
        )

    if not admin_client.waited_for(are_ready, WAIT_SECONDS):
        raise StageError(
            f"topics of run {settings.run!r} have no leaders after {WAIT_SECONDS:.0f} s"
        )


def _delete(client: AdminClient, names: Iterable[str]) -> None:
    topics = set(names)
    if not topics:
        return
    futures = client.delete_topics(sorted(topics), request_timeout=CHANGE_SECONDS)
    _check(_failures(futures), "delete")

    def are_gone() -> bool:
        view = admin_client.look(client)
        return view is not None and topics.isdisjoint(view.leaders)

    if not admin_client.waited_for(are_gone, WAIT_SECONDS):
        raise StageError(
            f"topics still exist {WAIT_SECONDS:.0f} s after deletion: {sorted(topics)}"
        )


def _failures(futures: Mapping[str, Future[None]]) -> dict[str, str]:
    """Why calls failed, by topic; deleting a topic that is gone is no failure."""
    failures = {}
    for name, future in futures.items():
        try:
            future.result(2 * CHANGE_SECONDS)
        except KafkaException as error:
            if error.args[0].code() != KafkaError.UNKNOWN_TOPIC_OR_PART:
                failures[name] = str(error.args[0].str())
        except OutOfTime:
            failures[name] = "no answer"
    return failures


def _check(failures: Mapping[str, str], verb: str) -> None:
    """Raise `StageError` for the first failure."""
    for name, reason in failures.items():
        raise StageError(f"cannot {verb} topic {name}: {reason}")
