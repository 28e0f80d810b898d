"""Addresses in texts that leave the pipeline."""

from __future__ import annotations

import re

_USERINFO = re.compile(r"(?<=://)[^\s/@]+@")


def without_userinfo(text: str) -> str:
    """The text without the user names and passwords of the URLs in it."""
    return _USERINFO.sub("", text)
