"""Process of a producer that gets kill -9 when it has begun: as `producer_process`."""

from __future__ import annotations

import os
import signal

if __name__ == "__main__":
    os.kill(os.getpid(), signal.SIGKILL)
