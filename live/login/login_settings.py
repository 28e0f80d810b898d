"""SASL: mechanism, user name and password of a client properties file."""

from __future__ import annotations

from live.login import jaas_login
from live.login.jaas_login import InvalidLogin
from live.login.stated_settings import StatedSettings, Translated

MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")

_JAAS = "sasl.jaas.config"
_MECHANISM_KEYS = ("sasl.mechanism", "sasl.mechanisms")


def translated(stated: StatedSettings, is_used: bool) -> Translated:
    """Translate the settings of SASL.

    Parameters
    ----------
    is_used
        Whether `security.protocol` is one with SASL.
    """
    given = stated.stated(*_MECHANISM_KEYS, _JAAS, "sasl.username", "sasl.password")
    if not is_used:
        if given is not None:
            raise stated.error(
                given, "needs `security.protocol=SASL_SSL`, or SASL_PLAINTEXT without encryption"
            )
        return Translated({}, {})
    mechanism = _mechanism(stated)
    username, password = _login(stated, mechanism)
    return Translated(
        {"sasl.mechanism": mechanism, "sasl.username": username, "sasl.password": password},
        {
            "sasl_mechanism": mechanism,
            "sasl_plain_username": username,
            "sasl_plain_password": password,
        },
    )


def _mechanism(stated: StatedSettings) -> str:
    key = stated.stated(*_MECHANISM_KEYS) or _MECHANISM_KEYS[0]
    mechanism = stated.text(key).upper()
    if mechanism not in MECHANISMS:
        raise stated.error(key, f"must be one of {', '.join(MECHANISMS)}")
    return mechanism


def _login(stated: StatedSettings, mechanism: str) -> tuple[str, str]:
    if stated.text(_JAAS):
        return _jaas_login(stated, mechanism)
    username, password = stated.text("sasl.username"), stated.secret("sasl.password")
    if not (username and password):
        raise stated.error(
            _JAAS, f"must have the form {jaas_login.FORM} (or set sasl.username and sasl.password)"
        )
    return username, password


def _jaas_login(stated: StatedSettings, mechanism: str) -> tuple[str, str]:
    other = stated.stated("sasl.username", "sasl.password")
    if other is not None:
        raise stated.error(other, f"excludes `{_JAAS}`; remove one of the two")
    try:
        login = jaas_login.parse(stated.secret(_JAAS))
    except InvalidLogin as error:
        raise stated.error(_JAAS, str(error)) from None
    if mechanism not in login.mechanisms:
        raise stated.error(
            _JAAS,
            f"must use the login module of {mechanism} (got {login.module}, for "
            f"{' and '.join(login.mechanisms)})",
        )
    return login.username, login.password
