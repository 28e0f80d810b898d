"""The trust store has the layout that Java documents for its JKS format."""

import base64
import hashlib
import struct

import pytest

from tools.setup import truststore

pytestmark = pytest.mark.unit

CERTIFICATES = [b"first certificate, of any bytes", bytes(range(256)) * 3]


def pem(der: bytes) -> str:
    body = base64.encodebytes(der).decode()
    return f"-----BEGIN CERTIFICATE-----\n{body}-----END CERTIFICATE-----\n"


def entries(store: bytes) -> list[tuple[int, str, str, bytes]]:
    """Tag, alias, type and bytes of each entry, read field by field."""
    (count,) = struct.unpack_from(">I", store, 8)
    place, all_entries = 12, []
    for _ in range(count):
        (tag,) = struct.unpack_from(">I", store, place)
        alias, place = text(store, place + 4)
        kind, place = text(store, place + 8)
        (size,) = struct.unpack_from(">I", store, place)
        all_entries.append((tag, alias, kind, store[place + 4 : place + 4 + size]))
        place += 4 + size
    assert place == len(store) - hashlib.sha1().digest_size
    return all_entries


def text(store: bytes, place: int) -> tuple[str, int]:
    (size,) = struct.unpack_from(">H", store, place)
    return store[place + 2 : place + 2 + size].decode(), place + 2 + size


def test_every_certificate_is_an_entry_of_its_own():
    store = truststore.from_pem("# comment\n" + "".join(pem(c) for c in CERTIFICATES))
    assert struct.unpack_from(">II", store) == (0xFEEDFEED, 2)
    assert entries(store) == [
        (2, "ca0", "X.509", CERTIFICATES[0]),
        (2, "ca1", "X.509", CERTIFICATES[1]),
    ]


def test_the_digest_is_over_password_salt_and_content():
    store = truststore.from_pem(pem(CERTIFICATES[0]))
    password = b"\0c\0h\0a\0n\0g\0e\0i\0t"
    assert store[-20:] == hashlib.sha1(password + b"Mighty Aphrodite" + store[:-20]).digest()
