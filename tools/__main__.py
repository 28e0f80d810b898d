"""Entry: checks the Python version in words that old versions understand, then starts."""

import os
import shutil
import subprocess
import sys

NEWEST_FIRST = ("python3.14", "python3.13", "python3.12", "python3.11")


def usable_python():
    # type: () -> str | None
    """Return a Python on the PATH that is new enough, None without one."""
    for name in NEWEST_FIRST:
        path = shutil.which(name)
        if path and subprocess.call([path, "-c", ""], stderr=subprocess.DEVNULL) == 0:
            return path
    return None


if sys.version_info < (3, 11):  # noqa: UP036 - this file must run on the Python it refuses
    other = usable_python()
    if other is None:
        sys.exit(
            "groupscale needs Python 3.11 or later (this is {}.{}); install it, or select it with "
            "`make PYTHON=/path/to/python3.12 ...`".format(*sys.version_info)
        )
    os.execv(other, [other, "-m", "tools", *sys.argv[1:]])

from tools.cli import main  # noqa: E402

sys.exit(main(sys.argv[1:]))
