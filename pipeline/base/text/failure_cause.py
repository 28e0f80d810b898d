"""The line of a program's output or log that says why it failed."""

from __future__ import annotations

MAX_CAUSE = 400
"""Maximum length of the line, in characters."""

NO_SPACE = "No space left on device"
# Lines that are more informative than the last line with the word error.
DECISIVE = (
    NO_SPACE,
    "Hash mismatch",
    "DO NOT MATCH THE HASHES",
    "PKIX path building failed",
    "CERTIFICATE_VERIFY_FAILED",
    "Temporary failure in name resolution",
    "Address already in use",
    "OutOfMemoryError",
    "UnsupportedClassVersionError",
)

_TELLING = ("error", "fail", "exception")
_FRAME = "at "
"""Beginning of a line of a stack trace in Java."""


def cause(output: str) -> str:
    """Last line of a program's output that looks like the reason why it failed."""
    lines = [line.strip(" \t×╰─▶├│") for line in output.splitlines()]
    lines = [line for line in lines if line and not line.startswith(_FRAME)]
    decisive = [line for line in lines if any(words in line for words in DECISIVE)]
    telling = [line for line in lines if any(words in line.lower() for words in _TELLING)]
    return (decisive or telling or lines or [""])[-1][:MAX_CAUSE]
