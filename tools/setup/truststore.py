"""Makes Java's trust store from PEM certificates, without Java's tools.

The Java runtime that set-up installs only trusts public authorities. If the machine names its own
bundle (SSL_CERT_FILE and the like), that runtime must trust it as well.
"""

from __future__ import annotations

import hashlib
import re
import ssl
import struct

MAGIC, VERSION, TRUSTED_CERTIFICATE = 0xFEEDFEED, 2, 2
PEM = re.compile(r"-----BEGIN CERTIFICATE-----.+?-----END CERTIFICATE-----", re.DOTALL)
# Java's own wording: part of the format, as is the default password.
SALT, PASSWORD = b"Mighty Aphrodite", "changeit"


def from_pem(text: str) -> bytes:
    """Return a key store in Java's JKS format that trusts every certificate in ``text``."""
    certificates = [ssl.PEM_cert_to_DER_cert(pem) for pem in PEM.findall(text)]
    store = struct.pack(">III", MAGIC, VERSION, len(certificates))
    for number, certificate in enumerate(certificates):
        store += struct.pack(">I", TRUSTED_CERTIFICATE) + _text(f"ca{number}")
        store += struct.pack(">Q", 0) + _text("X.509")
        store += struct.pack(">I", len(certificate)) + certificate
    secret = PASSWORD.encode("utf-16-be") + SALT
    return store + hashlib.sha1(secret + store).digest()


def _text(value: str) -> bytes:
    encoded = value.encode()
    return struct.pack(">H", len(encoded)) + encoded
