"""Starts the browser with the two pipes that it listens on as its descriptors 3 and 4.

``python -m tests.browser.wire READ WRITE PROGRAM ARGUMENT...``; replaces itself by the program.
"""

from __future__ import annotations

import fcntl
import os
import sys

FIRST_FREE = 10
"""Both pipes are moved out of the way before either takes its place."""

if __name__ == "__main__":
    ends = [fcntl.fcntl(int(text), fcntl.F_DUPFD, FIRST_FREE) for text in sys.argv[1:3]]
    for place, end in zip((3, 4), ends, strict=True):
        os.dup2(end, place)
    os.execv(sys.argv[3], sys.argv[3:])
