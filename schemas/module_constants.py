"""Constants of a name, one for each module of a package."""

from collections.abc import Iterable, Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any


def module_constants(path: Iterable[str], package: str, name: str) -> Iterator[Any]:
    """Yield the constant ``name`` of each module that has it, in the order of modules' names.

    path, package: ``__path__`` and ``__name__`` of the package.
    """
    for item in walk_packages(path, f"{package}."):
        constant = getattr(import_module(item.name), name, None)
        if constant is not None:
            yield constant
