"""Process of the controller's pod, with the monitor.

``python -m … SETTINGS.json STRATEGY [STATEFULSET]``: a StatefulSet that is named is scaled.
SIGTERM ends controller and monitor; consumers go on reading, and the next pod takes over.
"""

from __future__ import annotations

import sys
from pathlib import Path

from live import live_settings
from live.kubernetes import stateful_set_scale
from live.kubernetes.pod_scaling import ScaledPods
from live.kubernetes.standing_pods import StandingPods
from live.user_cluster.program_group import ProgramGroup
from pipeline.base.errors import GroupscaleError


def main(arguments: list[str]) -> int:
    """Run the group until a signal comes; returns the status of the process."""
    settings = live_settings.load(Path(arguments[0]))
    try:
        pods = StandingPods()
        if len(arguments) > 2:
            pods = ScaledPods(settings, stateful_set_scale.of_pod(arguments[2]))
        with ProgramGroup(settings, arguments[1], pods) as group:
            group.serve()
    except GroupscaleError as error:
        print(f"group: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
