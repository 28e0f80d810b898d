"""Settings of Kafka clients for TLS and SASL, from a client properties file.

The file is that of Kafka's own tools (``--command-config``); librdkafka's names are understood too.
Secrets are in the two mappings only: no message and no text of an object has them.
"""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from live.login import properties_file
from live.login.properties_file import PropertiesFile

_CHECK = "ssl.endpoint.identification.algorithm"

KAFKA_PYTHON = {
    "security.protocol": "security_protocol",
    "client.id": "client_id",
    "sasl.mechanism": "sasl_mechanism",
    "sasl.username": "sasl_plain_username",
    "sasl.password": "sasl_plain_password",
    "ssl.ca.location": "ssl_cafile",
    "ssl.certificate.location": "ssl_certfile",
    "ssl.key.location": "ssl_keyfile",
    "ssl.key.password": "ssl_password",
    _CHECK: "ssl_check_hostname",
}
"""kafka-python's names by those of confluent-kafka."""

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")

IGNORED = (
    "key.serializer", "value.serializer", "key.deserializer", "value.deserializer",
    "enable.auto.commit", "auto.offset.reset", "group.id", "acks",
)  # fmt: skip
"""Settings of consumers and producers, which say nothing on the connection: no warning."""


@dataclass(frozen=True, slots=True)
class ClientProperties:
    """Settings of a file, in the terms of both clients."""

    confluent: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Settings of confluent-kafka. They may hold secrets."""
    kafka_python: Mapping[str, object] = field(default_factory=dict, repr=False)
    """Settings of kafka-python. They may hold secrets."""
    bootstrap: str = ""
    """``bootstrap.servers`` of the file; empty without it."""
    warning: str = ""
    """One line that names the settings without effect; empty if all have one."""


NO_PROPERTIES = ClientProperties()
"""No file: no TLS, no login."""


def read(file: Path) -> ClientProperties:
    """Read client properties. Raises InputError, with file, line, key and remedy, if invalid."""
    stated = properties_file.read(file)
    key = "security.protocol"
    protocol = stated.text(key).upper() or "PLAINTEXT"
    if protocol not in PROTOCOLS:
        raise stated.error(key, f"must be one of {', '.join(PROTOCOLS)}")
    settings = {
        key: protocol,
        **_tls(stated, is_used=protocol.endswith("SSL")),
        **_sasl(stated, is_used=protocol.startswith("SASL")),
    }
    bootstrap = stated.text("bootstrap.servers")
    if client_id := stated.text("client.id"):
        settings["client.id"] = client_id
    kafka_python = {
        KAFKA_PYTHON[name]: False if name == _CHECK else value for name, value in settings.items()
    }
    return ClientProperties(settings, kafka_python, bootstrap, _warning(stated))


_MOST_NAMED = 10


def _warning(stated: PropertiesFile) -> str:
    unused = stated.unread(IGNORED)
    if not unused:
        return ""
    names = ", ".join(unused[:_MOST_NAMED])
    more = len(unused) - _MOST_NAMED
    rest = f" and {more} more" if more > 0 else ""
    return f"{stated.file}: settings without effect here: {names}{rest}"


_CERTIFICATE, _KEY = b"CERTIFICATE-----", b"PRIVATE KEY-----"
_MOST_BYTES = 2**22
_REMEDIES = {
    _CERTIFICATE: "keytool -list -rfc -keystore FILE > FILE.pem",
    _KEY: "openssl pkcs12 -in FILE.p12 -out FILE.pem",
}

_AUTHORITY_KEYS = ("ssl.truststore.location", "ssl.ca.location")
_OWN_KEYS = ("ssl.keystore.location", "ssl.certificate.location", "ssl.key.location")
_KEY_PASSWORDS = ("ssl.key.password", "ssl.keystore.password")
_INLINE = {
    "ssl.truststore.certificates": "ssl.truststore.location",
    "ssl.keystore.certificate.chain": "ssl.keystore.location",
    "ssl.keystore.key": "ssl.keystore.location",
}
# A PEM file needs neither: its content says what it is, and certificates are not secret.
_NOT_NEEDED = ("ssl.truststore.type", "ssl.keystore.type", "ssl.truststore.password")


def _tls(stated: PropertiesFile, is_used: bool) -> dict[str, str]:
    """Settings of TLS, whose certificates and keys must be PEM files."""
    for key in (*_NOT_NEEDED, *_KEY_PASSWORDS, _CHECK):
        stated.text(key)
    for key, instead in _INLINE.items():
        if stated.text(key):
            raise stated.error(key, f"is not supported; save it as a PEM file, and set `{instead}`")
    if not is_used:
        if unused := stated.first(*_AUTHORITY_KEYS, *_OWN_KEYS):
            raise stated.error(unused, "needs `security.protocol=SSL` or SASL_SSL")
        return {}
    authority = stated.first(*_AUTHORITY_KEYS)
    # Without certificates of an authority, those of the system count.
    settings = {"ssl.ca.location": _pem(stated, authority, _CERTIFICATE)} if authority else {}
    return settings | _own_key(stated) | _host_check(stated)


def _own_key(stated: PropertiesFile) -> dict[str, str]:
    """Certificate and key of this client, if the brokers require them."""
    certificate = stated.first("ssl.keystore.location", "ssl.certificate.location")
    if certificate is None:
        return {}
    # A store has both.
    key = certificate if certificate == "ssl.keystore.location" else "ssl.key.location"
    settings = {
        "ssl.certificate.location": _pem(stated, certificate, _CERTIFICATE),
        "ssl.key.location": _pem(stated, key, _KEY),
    }
    if password := stated.first(*_KEY_PASSWORDS):
        settings["ssl.key.password"] = stated.secret(password)
    return settings


def _host_check(stated: PropertiesFile) -> dict[str, str]:
    """Whether a broker's certificate must have its name; stating an empty value turns it off."""
    value = stated.text(_CHECK).lower()
    if not stated.has(_CHECK) or value == "https":
        return {}
    if value not in ("", "none"):
        raise stated.error(_CHECK, "must be https, or empty to accept certificates of other hosts")
    return {_CHECK: "none"}


def _pem(stated: PropertiesFile, key: str, content: bytes) -> str:
    """Path of a PEM file that has what is needed."""
    file = Path(stated.text(key))
    if not stated.text(key):
        raise stated.error(key, "must be the path of a PEM file")
    try:
        # To open a pipe could wait forever, here and in the client.
        if not stat.S_ISREG(file.stat().st_mode):
            raise stated.error(key, f"must be a PEM file (got {file}, not a regular file)")
        with file.open("rb") as stream:
            head = stream.read(_MOST_BYTES)
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise stated.error(key, f"cannot be read ({reason}): {file}") from None
    if content not in head:
        what = "private key" if content == _KEY else "certificate"
        raise stated.error(
            key,
            f"must be a PEM file with a {what} (got {file}); convert a Java keystore with "
            f"`{_REMEDIES[content]}`",
        )
    return str(file)


_JAAS = "sasl.jaas.config"
_MECHANISM_KEYS = ("sasl.mechanism", "sasl.mechanisms")
_LOGIN_KEYS = ("sasl.username", "sasl.password")
_MODULES = {
    "PlainLoginModule": ("PLAIN",),
    "ScramLoginModule": ("SCRAM-SHA-256", "SCRAM-SHA-512"),
}
"""Login modules, and the mechanisms that each of them serves."""

_FORM = 'must have the form org.apache.kafka.….PlainLoginModule required username="…" password="…";'
_ENTRY = re.compile(
    r"\s*([\w.$]+)\s+(?:required|requisite|sufficient|optional)\b(.*);\s*", re.DOTALL
)
_OPTION = re.compile(
    r"""\s+(?P<name>[\w.-]+)\s*=\s*(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'"""
    r"""|(?P<bare>[^\s"';=]+))""",
    re.DOTALL,
)


def _sasl(stated: PropertiesFile, is_used: bool) -> dict[str, str]:
    """Mechanism, user name and password."""
    if not is_used:
        if unused := stated.first(*_MECHANISM_KEYS, _JAAS, *_LOGIN_KEYS):
            raise stated.error(
                unused, "needs `security.protocol=SASL_SSL`, or SASL_PLAINTEXT without encryption"
            )
        return {}
    key = stated.first(*_MECHANISM_KEYS) or _MECHANISM_KEYS[0]
    mechanism = stated.text(key).upper()
    mechanisms = [each for served in _MODULES.values() for each in served]
    if mechanism not in mechanisms:
        raise stated.error(key, f"must be one of {', '.join(mechanisms)}")
    login = _jaas(stated, mechanism) if stated.text(_JAAS) else _plain_login(stated)
    return {"sasl.mechanism": mechanism, **login}


def _plain_login(stated: PropertiesFile) -> dict[str, str]:
    username, password = stated.text("sasl.username"), stated.secret("sasl.password")
    if not (username and password):
        raise stated.error(_JAAS, f"{_FORM} (or set sasl.username and sasl.password)")
    return {"sasl.username": username, "sasl.password": password}


def _jaas(stated: PropertiesFile, mechanism: str) -> dict[str, str]:
    """User name and password in ``sasl.jaas.config``."""
    if other := stated.first(*_LOGIN_KEYS):
        raise stated.error(other, f"excludes `{_JAAS}`; remove one of the two")
    entry = _ENTRY.fullmatch(stated.secret(_JAAS))
    if entry is None:
        raise stated.error(_JAAS, _FORM)
    module = entry[1].rpartition(".")[2]
    if module not in _MODULES:
        raise stated.error(_JAAS, f"must use one of the login modules {', '.join(_MODULES)}")
    options = _jaas_options(entry[2].rstrip())
    if options is None:
        raise stated.error(_JAAS, f"{_FORM}; put values in double quotes")
    for name in ("username", "password"):
        if name not in options:
            raise stated.error(_JAAS, f'needs {name}="…"; it {_FORM}')
    if mechanism not in _MODULES[module]:
        raise stated.error(
            _JAAS,
            f"must use the login module of {mechanism} (got {module}, for "
            f"{' and '.join(_MODULES[module])})",
        )
    return {"sasl.username": options["username"], "sasl.password": options["password"]}


def _jaas_options(text: str) -> dict[str, str] | None:
    """Options of a login by name; None if they have another form."""
    options, position = {}, 0
    while position < len(text):
        # Matching from a position copies nothing: a megabyte of options takes a second.
        option = _OPTION.match(text, position)
        if option is None:
            return None
        quoted = option["double"] if option["double"] is not None else option["single"]
        options[option["name"]] = (
            option["bare"] if quoted is None else re.sub(r"\\(.)", r"\1", quoted, flags=re.DOTALL)
        )
        position = option.end()
    return options
