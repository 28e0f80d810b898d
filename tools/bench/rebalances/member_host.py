"""Process of up to four members, a thread each: ``python -m … SETTINGS DESCRIPTOR``.

It reads lines ``join MEMBER`` and ``leave MEMBER`` from a descriptor, and ends at its end. A client
works in threads of its own without Python's lock, so that members do not hold each other up.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Sequence

from tools.bench.rebalances.group_member import GroupMember, MemberSettings

MOST_MEMBERS = 4

JOIN, LEAVE = "join", "leave"


def main(arguments: Sequence[str]) -> None:
    """Carry out the lines."""
    settings = MemberSettings(**json.loads(arguments[0]))
    members: dict[str, GroupMember] = {}
    with os.fdopen(int(arguments[1]), encoding="utf-8") as lines:
        for line in lines:
            verb, name = line.split()
            if verb == JOIN:
                members[name] = GroupMember(settings, name)
                threading.Thread(target=members[name].run, name=name, daemon=True).start()
            else:
                members.pop(name).leave()


if __name__ == "__main__":
    main(sys.argv[1:])
    # Members need not leave in order: the bench has finished with their group.
    os._exit(0)
