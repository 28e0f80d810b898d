"""Private interfaces of other packages are used only with versions they were tried on."""

from __future__ import annotations

import logging
from functools import cache
from importlib.metadata import PackageNotFoundError, version

log = logging.getLogger(__name__)


def installed(package: str) -> str:
    """Version of a package; ``none`` if it is not installed."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


@cache
def is_tried(package: str, prefix: str) -> bool:
    """Whether the installed version of a package begins with a prefix; logged once if not."""
    actual = installed(package)
    tried = actual.startswith(prefix)
    if not tried:
        log.info("%s %s was not tried (%s was): tricks are off", package, actual, prefix)
    return tried
