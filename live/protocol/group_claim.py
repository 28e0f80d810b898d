"""Whether a controller may take its group over again after an error."""

from __future__ import annotations

from uuid import uuid4


class GroupClaim:
    """What one process knows of who controls its group, through all of its recoveries.

    Topic `state` has the name of the controller that has written to it last. To take over fences
    that one, which is right for a new process, but not for one that recovers: while it paused, a
    newer one may have come.

    name: Name of the process, unlike that of any other.
    name: The same.
    """

    def __init__(self, name: str | None = None) -> None:
        self.name = name or uuid4().hex
        self._known: tuple[str, ...] = ()

    @property
    def is_made(self) -> bool:
        """Whether the process has taken over before."""
        return bool(self._known)

    def allows(self, holder: str) -> bool:
        """Whether to take over from a controller, empty for none: unless it is a newer one."""
        return not self._known or holder in self._known

    def forget(self) -> None:
        """Note that a take-over begins, which may fence another controller and then fail.

        If this process still looked for a newer one afterwards, both could end.
        """
        self._known = ()

    def took(self, holder: str) -> None:
        """Note that the process has taken over from a controller, itself included."""
        self._known = holder, self.name
