"""User name and password in Kafka's setting ``sasl.jaas.config``."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

MODULES = {
    "PlainLoginModule": ("PLAIN",),
    "ScramLoginModule": ("SCRAM-SHA-256", "SCRAM-SHA-512"),
}
"""Login modules, and the mechanisms that each of them serves."""

FORM = 'org.apache.kafka.….PlainLoginModule required username="…" password="…";'
"""What the setting looks like."""

_ENTRY = re.compile(
    r"\s*([\w.$]+)\s+(?:required|requisite|sufficient|optional)\b(.*);\s*", re.DOTALL
)
_OPTION = re.compile(
    r"""\s+(?P<name>[\w.-]+)\s*=\s*(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'"""
    r"""|(?P<bare>[^\s"';=]+))""",
    re.DOTALL,
)


class InvalidLogin(ValueError):
    """The text is no login for SASL; the message has nothing of its content."""


@dataclass(frozen=True, slots=True)
class JaasLogin:
    """A login."""

    module: str
    """Name of the login module's class, without its package."""
    username: str = field(repr=False)
    password: str = field(repr=False)
    """`username`, `password`: not part of its text."""

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """SASL mechanisms that the login is for."""
        return MODULES[self.module]


def parse(text: str) -> JaasLogin:
    """Read a login from the value of the setting.

    Raises
    ------
    InvalidLogin
        If it has another form, another module, or no user name and password.
    """
    entry = _ENTRY.fullmatch(text)
    if entry is None:
        raise InvalidLogin(f"must have the form {FORM}")
    module = entry[1].rpartition(".")[2]
    if module not in MODULES:
        raise InvalidLogin(f"must use one of the login modules {', '.join(MODULES)}")
    options = _options(entry[2])
    for name in ("username", "password"):
        if name not in options:
            raise InvalidLogin(f'needs {name}="…"; it must have the form {FORM}')
    return JaasLogin(module, options["username"], options["password"])


def _options(text: str) -> dict[str, str]:
    options, position, text = {}, 0, text.rstrip()
    while position < len(text):
        found = _OPTION.match(text, position)
        if found is None:
            raise InvalidLogin(f"must have the form {FORM}; put values in double quotes")
        quoted = found["double"] if found["double"] is not None else found["single"]
        options[found["name"]] = (
            found["bare"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)
        )
        position = found.end()
    return options
