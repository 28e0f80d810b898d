"""One live run at a time: two would measure each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pipeline.base import paths
from pipeline.base.errors import InputError
from pipeline.warehouse.runs import lock, scratch_folders

_BUSY = (
    "another live run is running on this machine, and the two would slow each other down; wait for "
    "it to end"
)


@contextmanager
def alone() -> Iterator[None]:
    """Keep other live runs of this installation out. Raises InputError if one is running."""
    paths.make_state()
    place = scratch_folders.place()
    try:
        lock.claim(place, place.name, alone=True)
    except InputError:
        raise InputError(_BUSY) from None
    try:
        yield
    finally:
        lock.release(place)


def check() -> None:
    """Refuse to begin while another live run is running. Raises InputError if one is."""
    with alone():
        pass
