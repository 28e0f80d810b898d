"""What KEDA may ask, over HTTP and over gRPC: which group, and the count that is sent."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from live.scaler import scaler_answers
from live.scaler.scaled_target import ScaledTarget
from live.scaler.scaler_answers import Answer
from live.scaler.scaler_settings import ScalerTarget
from pipeline.base.text.quoting import named

TARGET = "target"
"""Key of a trigger's metadata: NAME in `scale`, where the ScaledObject's own name is another."""

_CHECKED = ("topic", "topics", "group", "strategy", "mu", "min_replicas", "max_replicas")
"""Keys that must say what the file says, if they are given."""

_OF_KEDA = {"scalerAddress", "enableTLS", "unsafeSsl", "tlsCertFile", "caCert", "tlsClientCert"} | {
    "tlsClientKey",
    "useCachedMetrics",
}
"""Keys that say how KEDA connects."""


class Refused(Exception):
    """A question without a count; the text says why, in one line."""

    def __init__(self, status: HTTPStatus, said: str) -> None:
        super().__init__(said)
        self.status = status


class AskedTargets:
    """Groups of the scaler's file.

    namespaces: Those that may ask.
    is_shadow: Whether counts are decided and logged, but never sent.
    """

    def __init__(
        self,
        targets: Mapping[str, ScaledTarget],
        namespaces: Mapping[str, Any],
        is_shadow: bool = False,
    ) -> None:
        self._targets, self._namespaces, self.is_shadow = targets, namespaces, is_shadow

    def find(
        self, namespace: str, name: str, metadata: Mapping[str, str] | None = None
    ) -> ScaledTarget:
        """The group that is asked about. Raises Refused.

        metadata: Of the trigger; none of it is set from there, it may only agree with the file.
        """
        metadata = metadata or {}
        if namespace not in self._namespaces:
            said = f"namespace {named(namespace)} is not in `allow` of the scaler's file"
            raise Refused(HTTPStatus.FORBIDDEN, said)
        name = metadata.get(TARGET, name)
        target = self._targets.get(f"{namespace}/{name}")
        if target is None:
            said = f"{named(name)} is not in `scale` of the scaler's file"
            raise Refused(HTTPStatus.NOT_FOUND, said)
        _check(target, metadata)
        return target

    def count(self, target: ScaledTarget) -> int:
        """The count to send. Raises Refused if there is none."""
        answer = target.answer() if self.is_shadow else target.asked()
        try:
            count = self._sent(answer)
        except Refused as refused:
            target.tally.answers[refused.status] += 1
            raise
        target.tally.answers[HTTPStatus.OK] += 1
        return count

    def is_active(self, target: ScaledTarget) -> bool:
        """Whether the group needs a replica: true unless a complete look says that it is idle.

        Raises Refused in shadow.
        """
        if self.is_shadow:
            self._sent(target.answer())
        return target.asked().replicas != 0

    def _sent(self, answer: Answer) -> int:
        if self.is_shadow:
            would = "nothing yet" if answer.replicas is None else answer.replicas
            said = f"the scaler runs with --shadow and sends no count (it would be {would})"
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, said)
        if answer.replicas is None:
            raise Refused(HTTPStatus.SERVICE_UNAVAILABLE, answer.reason)
        return scaler_answers.checked(answer.replicas)


def _check(target: ScaledTarget, metadata: Mapping[str, str]) -> None:
    for key in sorted(metadata.keys() - _OF_KEDA - {TARGET}):
        if key not in _CHECKED:
            known = ", ".join((TARGET, *_CHECKED))
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"metadata have the unknown key {named(key)}; must be one of {known}",
            )
        own, given = _own(target.target, key), metadata[key]
        if key == "topics":
            given = ",".join(sorted(topic.strip() for topic in given.split(",")))
        if given != own:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"`{key}` of the metadata must be {own}, as in the scaler's file (got "
                f"{named(metadata[key])}); leave it out or correct it",
            )


def _own(target: ScalerTarget, key: str) -> str:
    """What the file says, as metadata say it: KEDA takes texts only."""
    if key in ("topic", "topics"):
        return ",".join(target.topics)
    own = getattr(target, key)
    return own if isinstance(own, str) else f"{own:g}"
