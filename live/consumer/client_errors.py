"""What errors of the client mean for a consumer."""

from __future__ import annotations

from confluent_kafka import KafkaError, KafkaException

_FENCED = (KafkaError._FENCED, KafkaError.PRODUCER_FENCED, KafkaError.INVALID_PRODUCER_EPOCH)


class Fenced(Exception):
    """A later incarnation or the controller has taken over: nothing can be written any more."""


class Unusable(Exception):
    """The client has failed for good; only a new process can go on."""


class Refused(Exception):
    """The brokers answer, but they do not have what this process needs."""


def cause(error: KafkaException) -> KafkaError:
    """The client's error within an exception."""
    inner = error.args[0]
    if isinstance(inner, KafkaError):
        return inner
    return KafkaError(KafkaError._FAIL, str(inner))


def raise_if_final(error: KafkaError) -> None:
    """Raise an error after which calling again does not help.

    Raises Fenced if another process has taken over the transactional id.
    Raises Unusable after any other fatal error.
    """
    if error.code() in _FENCED:
        raise Fenced(error.str())
    if error.fatal():
        raise Unusable(error.str())
