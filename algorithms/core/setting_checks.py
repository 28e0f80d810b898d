"""Checks of all settings of a dataclass, by what is declared."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from algorithms.core.setting import SettingError, declared

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    Settings = TypeVar("Settings", bound=DataclassInstance)


def checked(settings: Settings) -> Settings:
    """The settings with plain values. Raises SettingError, which names the wrong one."""
    items = declared(settings.__class__).items()
    plain = replace(settings, **{name: item.check(getattr(settings, name)) for name, item in items})
    check_neighbours(plain)
    return plain


def check_neighbours(settings: Any) -> None:
    """Raise `SettingError` if a setting exceeds another one that limits it.

    Neighbours that a class does not have, and values that are not set, limit nothing.
    """
    own = declared(settings.__class__)
    for words, sign in (("at most", -1), ("at least", 1)):
        for name, item in own.items():
            limit = item.neighbour_above if sign < 0 else item.neighbour_below
            value, other = (
                getattr(settings, name),
                getattr(settings, limit) if limit in own else None,
            )
            if value is not None and other is not None and sign * value < sign * other:
                raise SettingError((name, limit), f"{words} {limit}, {other:,}", value)
