"""Why a server is not reached, and what to do; texts of the libraries have addresses of memory."""

from __future__ import annotations

from pipeline.base.errors import GroupscaleError, InputError, StageError
from pipeline.inputs.prometheus.server_access import Server

_WORDS = (
    ("refused", "refuses connections"),
    ("resolve", "has a host name that cannot be resolved"),
    ("timed out", "does not answer"),
    ("incomplete", "has sent an answer that is cut short"),
    ("decode", "has sent an answer that cannot be decompressed"),
)


def words(error: Exception) -> str:
    """What is wrong, in a few words."""
    return _found(_WORDS, error) or "is unreachable"


_OF_SERVERS = (
    ("expired", "its certificate has expired; renew it there"),
    ("not yet valid", "its certificate is not valid yet; compare the clocks of both machines"),
)
_OF_ADDRESSES = (
    ("mismatch", "its certificate is for another host name; use that name in the address"),
    ("wrong version number", "it does not speak TLS; begin its address with http://"),
    ("record layer failure", "it does not speak TLS; begin its address with http://"),
)
_NO_TLS = "it ends TLS, as servers do that require a certificate of the client; import has none"
_UNSIGNED = (("verify failed", "its certificate is not signed by"),)


def of_tls(server: Server, error: Exception) -> GroupscaleError:
    """The error of a connection that TLS refuses: InputError if an option is wrong."""
    if said := _found(_OF_ADDRESSES, error):
        return InputError(f"{server.place}: {said}")
    if said := _found(_OF_SERVERS, error):
        return StageError(f"{server.place}: {said}")
    if not (said := _found(_UNSIGNED, error)):
        return StageError(f"{server.place}: {_NO_TLS}")
    if server.ca is None:
        return InputError(f"{server.place}: {said} a known authority; name its own with --ca FILE")
    return InputError(f"{server.place}: {said} an authority of --ca {server.ca}; name its own")


def _found(signs: tuple[tuple[str, str], ...], error: Exception) -> str:
    story = str(error).lower()
    return next((said for sign, said in signs if sign in story), "")
