"""The processes of a group's members, as the one that starts them sees them."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Iterable
from pathlib import Path

from live.processes import child_processes
from live.processes.child_processes import Child
from tools.bench.rebalances import member_host
from tools.bench.rebalances.group_member import MemberSettings


class Host:
    """A process with members, which ends with this one."""

    def __init__(self, settings: MemberSettings, name: str) -> None:
        read, self._write = os.pipe()
        log = Path(settings.folder) / f"{name}.log"
        arguments = (json.dumps(dataclasses.asdict(settings)), str(read))
        try:
            self.child: Child = child_processes.start_module(
                member_host.__name__, arguments, name, log, (read,)
            )
        finally:
            os.close(read)

    def join(self, member: str) -> None:
        """Let a member join."""
        self._say(member_host.JOIN, member)

    def leave(self, member: str) -> None:
        """Let a member close its client, which leaves the group."""
        self._say(member_host.LEAVE, member)

    def _say(self, verb: str, member: str) -> None:
        os.write(self._write, f"{verb} {member}\n".encode())

    def kill(self) -> None:
        """End it as ``kill -9`` does."""
        child_processes.kill([self.child])
        os.close(self._write)


def kill_all(hosts: Iterable[Host]) -> None:
    """End all hosts."""
    for host in hosts:
        host.kill()
