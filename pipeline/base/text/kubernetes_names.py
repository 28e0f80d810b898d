"""Names that Kubernetes accepts."""

from __future__ import annotations

import re

from pipeline.base.errors import InputError
from pipeline.base.text import quoting

LABEL = r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?"
OBJECT = re.compile(rf"{LABEL}(?:\.{LABEL})*")
"""Name of an object, at most 253 characters."""

NAMESPACE = re.compile(LABEL)


def check_option(
    option: str,
    value: str | None,
    form: re.Pattern[str],
    allowed: str,
    example: str,
    longest: int = 253,
) -> None:
    """Check the value of an option of the command line; None passes.

    form: What the whole value must match.
    allowed, example: What is allowed, in words, and an example.
    longest: Characters at most.
    Raises InputError if the value does not match; names the option.
    """
    if value is not None and not (len(value) <= longest and form.fullmatch(value)):
        raise InputError(
            f"`--{option}` must be {allowed}, at most {longest} characters, such as {example} "
            f"(got {quoting.named(value)})"
        )
