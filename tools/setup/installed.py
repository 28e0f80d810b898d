"""Lists the packages of the Python that runs it, and their modified files."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackagePath, distributions
from pathlib import Path

# This project is installed as a link to its source, and `python -m venv` brings the environment's
# own installer, which is not pinned here.
OWN = {"groupscale", "pip", "setuptools"}


def normalised(name: str) -> str:
    """A package's name as lock files write it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main() -> int:
    """Print versions by name and changed files as JSON."""
    packages = {normalised(d.metadata["Name"]): d for d in distributions()}
    theirs = {name: package for name, package in packages.items() if name not in OWN}
    changed = [f"{name}: {file}" for name, package in theirs.items() for file in _changed(package)]
    versions = {name: package.version for name, package in theirs.items()}
    json.dump({"versions": versions, "changed": changed}, sys.stdout)
    return 0


def _changed(package: Distribution) -> Iterator[PackagePath]:
    """Files whose hash differs from the installed one, and missing files."""
    for file in package.files or ():
        if file.hash is None:
            continue
        path = Path(str(package.locate_file(file)))
        try:
            with path.open("rb") as content:
                digest = hashlib.file_digest(content, file.hash.mode).digest()
        except FileNotFoundError:
            yield file
            continue
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != file.hash.value:
            yield file


if __name__ == "__main__":
    sys.exit(main())
