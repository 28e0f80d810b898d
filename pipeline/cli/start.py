"""Entry point of the console script: leaves other Python installations before it imports anything.

Only modules that every Python process has loaded are imported before that.
"""

import os
import sys

FOREIGN = ("PYTHONPATH", "PYTHONHOME")
"""As in `pipeline.base.process.own_environment.PYTHON`, which is not imported yet."""


def main() -> None:
    """Run the command line; a process with foreign packages on its path starts again without."""
    if any(name in os.environ for name in FOREIGN):
        kept = {name: value for name, value in os.environ.items() if name not in FOREIGN}
        again = [sys.executable, "-P", "-m", "pipeline.cli.app", *sys.argv[1:]]
        os.execve(sys.executable, again, kept)
    from pipeline.cli import app

    app.main()
