"""Why a client does not reach its brokers, from the faults that librdkafka reports."""

from __future__ import annotations

import re

from confluent_kafka import KafkaError

from pipeline.base.text.printable import printable

_LOGIN, _TLS, _NAME = KafkaError._AUTHENTICATION, KafkaError._SSL, KafkaError._RESOLVE
_REASONS = {
    _LOGIN: "the login failed",
    _TLS: "TLS failed",
    _NAME: "the host is unknown",
}
_PLACE, _DURATION = re.compile(r"^\S+/(bootstrap|[0-9]+): "), re.compile(r"\s*\(after [^)]*\)$")


class ConnectionFaults:
    """Collects faults; those that tell most are named."""

    def __init__(self) -> None:
        self._texts: dict[int, str] = {}

    def note(self, error: KafkaError) -> None:
        """Take a fault, as `error_cb` of a client."""
        text = _DURATION.sub("", _PLACE.sub("", error.str()))
        self._texts.setdefault(error.code(), printable(text))

    def clear(self) -> None:
        """Forget all faults."""
        self._texts.clear()

    @property
    def are_any(self) -> bool:
        """Whether a fault was noted."""
        return bool(self._texts)

    @property
    def are_final(self) -> bool:
        """Whether a broker answers, and refuses: waiting will hardly help."""
        return _LOGIN in self._texts or _TLS in self._texts

    def message(self, bootstrap: str, seconds: float) -> str:
        """What is wrong, in one line."""
        for code, reason in _REASONS.items():
            if code in self._texts:
                return f"cannot connect to {bootstrap}: {reason}: {self._texts[code]}"
        why = self._texts.get(KafkaError._TRANSPORT)
        rest = f" ({why})" if why else ""
        return (
            f"no Kafka broker answers at {bootstrap} within {seconds:g} s{rest}; check the address "
            "and `security.protocol` of --config"
        )
