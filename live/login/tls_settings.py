"""TLS: certificates and keys of a client properties file, which must be PEM files."""

from __future__ import annotations

import stat
from pathlib import Path

from live.login.stated_settings import StatedSettings, Translated

_CERTIFICATE, _KEY = b"CERTIFICATE-----", b"PRIVATE KEY-----"
_MOST_BYTES = 2**22

_CHECK = "ssl.endpoint.identification.algorithm"
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

_REMEDIES = {
    _CERTIFICATE: "keytool -list -rfc -keystore FILE > FILE.pem",
    _KEY: "openssl pkcs12 -in FILE.p12 -out FILE.pem",
}


def translated(stated: StatedSettings, is_used: bool) -> Translated:
    """Translate the settings of TLS.

    Parameters
    ----------
    is_used
        Whether `security.protocol` is one with TLS.

    Raises
    ------
    InputError
        If a setting is invalid, has no effect, or names a file that is missing or not PEM.
    """
    for key in (*_NOT_NEEDED, *_KEY_PASSWORDS, _CHECK):
        stated.text(key)
    for key, instead in _INLINE.items():
        if stated.text(key):
            raise stated.error(key, f"is not supported; save it as a PEM file, and set `{instead}`")
    given = stated.stated(*_AUTHORITY_KEYS, *_OWN_KEYS)
    if is_used:
        return _merged(_authority(stated), _own_key(stated), _host_check(stated))
    if given is not None:
        raise stated.error(given, "needs `security.protocol=SSL` or SASL_SSL")
    return Translated({}, {})


def _merged(*parts: Translated) -> Translated:
    return Translated(
        {key: value for part in parts for key, value in part.confluent.items()},
        {key: value for part in parts for key, value in part.kafka_python.items()},
    )


def _authority(stated: StatedSettings) -> Translated:
    """Certificates that the brokers' are checked with; without any, those of the system."""
    key = stated.stated(*_AUTHORITY_KEYS)
    if key is None:
        return Translated({}, {})
    file = _pem(stated, key, _CERTIFICATE)
    return Translated({"ssl.ca.location": file}, {"ssl_cafile": file})


def _own_key(stated: StatedSettings) -> Translated:
    """Certificate and key of this client, if the brokers require them."""
    password_key = stated.stated(*_KEY_PASSWORDS)
    store = stated.stated("ssl.keystore.location")
    if store is not None:
        certificate, key = _pem(stated, store, _CERTIFICATE), _pem(stated, store, _KEY)
    elif stated.stated("ssl.certificate.location") is not None:
        certificate = _pem(stated, "ssl.certificate.location", _CERTIFICATE)
        key = _pem(stated, "ssl.key.location", _KEY)
    else:
        return Translated({}, {})
    confluent = {"ssl.certificate.location": certificate, "ssl.key.location": key}
    kafka_python: dict[str, object] = {"ssl_certfile": certificate, "ssl_keyfile": key}
    if password_key is not None:
        confluent["ssl.key.password"] = stated.secret(password_key)
        kafka_python["ssl_password"] = stated.secret(password_key)
    return Translated(confluent, kafka_python)


def _host_check(stated: StatedSettings) -> Translated:
    """Whether a broker's certificate must have its name; stating an empty value turns it off."""
    value = stated.text(_CHECK).lower()
    if not stated.has(_CHECK) or value == "https":
        return Translated({}, {})
    if value not in ("", "none"):
        raise stated.error(_CHECK, "must be https, or empty to accept certificates of other hosts")
    return Translated({_CHECK: "none"}, {"ssl_check_hostname": False})


def _pem(stated: StatedSettings, key: str, content: bytes) -> str:
    """Path of a PEM file that has what is needed."""
    file = Path(stated.text(key))
    if not stated.text(key):
        raise stated.error(key, "must be the path of a PEM file")
    try:
        # To open a pipe could wait forever, here and in the client.
        if not stat.S_ISREG(file.stat().st_mode):
            raise stated.error(key, f"must be a PEM file (got {file}, not a regular file)")
        with file.open("rb") as stream:
            found = stream.read(_MOST_BYTES)
    except OSError as error:
        reason = (error.strerror or "cannot be read").lower()
        raise stated.error(key, f"cannot be read ({reason}): {file}") from None
    if content not in found:
        what = "private key" if content == _KEY else "certificate"
        raise stated.error(
            key,
            f"must be a PEM file with a {what} (got {file}); convert a Java keystore with "
            f"`{_REMEDIES[content]}`",
        )
    return str(file)
