"""How long ago a sign of life was, without the time in which none could arrive."""

from __future__ import annotations


class LeaseClock:
    """Measures the time since signs of life.

    That time does not grow while the broker does not answer, and begins again once it does: the
    consumers need time to connect too. It also begins again after this process stood still, since
    signs of life may be waiting to be read. After an answer of the broker that took long, nothing
    counts as old for a moment, since they may be on their way.

    Times are seconds of any clock that does not go back.

    standstill_s: Time between two calls of `look` from which on this process counts as having stood
        still.
    """

    def __init__(self, standstill_s: float, now: float) -> None:
        self._standstill_s = standstill_s
        self._began = self._looked = now
        self._is_silent = False
        self._settled = now

    @property
    def is_silent(self) -> bool:
        """Whether the broker does not answer."""
        return self._is_silent

    def look(self, now: float) -> None:
        """Note that this process is at work; to be called often."""
        if now - self._looked > self._standstill_s:
            self._began = now
        self._looked = max(now, self._looked)

    def broker_silent(self, now: float) -> None:
        """Note that the broker does not answer."""
        self.look(now)
        self._is_silent = True

    def broker_answers(self, now: float) -> None:
        """Note that the broker answers."""
        self.look(now)
        if self._is_silent:
            self._is_silent, self._began = False, now

    def broker_was_slow(self, now: float) -> None:
        """Note that the broker has answered, but took long."""
        self.look(now)
        self._settled = now + self._standstill_s / 2

    def age(self, sign: float, now: float) -> float:
        """Seconds since a sign of life; 0 while the broker is silent, and just after."""
        if self._is_silent or now < self._settled:
            return 0.0
        return now - max(sign, self._began)
