"""What KEDA asks how many members a group is to have."""

from __future__ import annotations

from abc import ABC, abstractmethod


class NoAnswer(Exception):
    """There is no count; the text says why."""


class Trigger(ABC):
    """One of KEDA's triggers, with the question that it asks.

    kind: What it asks, in the journal.
    first_s: Time from which it can have an answer, by the strategies' clock.
    """

    kind: str
    first_s: float

    @property
    @abstractmethod
    def is_ready(self) -> bool:
        """Whether it can be asked."""

    @abstractmethod
    def ask(self) -> int:
        """The count. Raises NoAnswer."""

    def follow(self, time_s: float) -> None:  # noqa: B027  most have nothing to do
        """Do what is due. time_s: By the strategies' clock; below 0 before the run begins."""

    def close(self) -> None:  # noqa: B027  most hold nothing
        """Release what is held."""
