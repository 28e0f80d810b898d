"""Consumers in pods that run already and wait to be asked for."""

from __future__ import annotations


class StandingPods:
    """A launcher that does nothing.

    Pods read in topic `state` which consumers the controller asks for (`LaunchOrders`). The end of
    one is not reported: after a lease without a sign of life it is fenced, which needs no kill.
    """

    def launch(self, consumer: int, incarnation: int) -> None:
        """Nothing: the record in topic `state` asks for it."""

    def kill(self, consumer: int, incarnation: int) -> None:
        """Nothing: fencing must do."""

    def ended(self) -> list[tuple[int, int, int]]:
        """Nothing is known."""
        return []

    def stop(self, grace: float) -> None:
        """Nothing: consumers outlive their controller."""
