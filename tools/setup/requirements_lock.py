"""Resolves the requirements in `requirements/` to versions and hashes."""

from __future__ import annotations

from tools.console import logged, say, words
from tools.layout import Layout
from tools.setup.packages import uv_environment

# In this order: the locks of the scaler and of the tools follow that of the packages.
NAMES = ("bootstrap", "build", "requirements", "scaler", "dev", "jre", "audit")
# One lock for every platform and Python; no index address may enter the files.
OPTIONS = (
    *("--quiet", "--universal", "--python-version", "3.11"),
    *("--generate-hashes", "--no-emit-index-url", "--custom-compile-command", "make lock"),
)


def resolve(layout: Layout, *more: str) -> None:
    """Write ``NAME.txt`` from ``NAME.in``, keeping versions that still fit.

    ``more`` are further options of ``uv pip compile``, such as ``--upgrade``.
    """
    env = uv_environment(layout)
    for name in NAMES:
        command = words(layout.venv / "bin" / "uv", "pip", "compile", *OPTIONS, *more)
        files = [f"{name}.in", "--output-file", f"{name}.txt"]
        logged([*command, *files], env, layout.requirements, layout.logs / "lock.log")
        say(f"requirements/{name}.txt")
