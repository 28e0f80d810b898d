"""Addresses in what leaves the pipeline, without their passwords."""

from __future__ import annotations

import re

_USER = re.compile(r"(?<=://)[^/\s]*@")
_PASSWORD = re.compile(r"(?<=://)[^/@:]*:[^@]*@")


def shown(text: str) -> str:
    """Text without the names and passwords that addresses in it may hold.

    Examples
    --------
    >>> shown("https://me:secret@tracking.example:5000/path")
    'https://tracking.example:5000/path'
    """
    return _USER.sub("", text)


def without_password(place: str) -> str:
    """A place that may be shown: user and password go out of an address that has both.

    A name alone stays: Azure has that of a container there.
    """
    return _PASSWORD.sub("", place)
