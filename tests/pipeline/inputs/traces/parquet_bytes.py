"""Parquet files that no writer produces, with wrong metadata."""

from __future__ import annotations

import struct
from collections.abc import Sequence

import pyarrow as pa

INT32, INT64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12
"""Types of Thrift's compact protocol."""

PLAIN, RLE, ZSTD, UTF8, BYTE_ARRAY = 0, 3, 6, 0, 6
MARK = b"PAR1"


def _varint(number: int) -> bytes:
    encoded = b""
    while number > 127:
        encoded += bytes([number & 127 | 128])
        number >>= 7
    return encoded + bytes([number])


def _whole(number: int) -> bytes:
    return _varint((number << 1) ^ (number >> 63))


def record(*fields: tuple[int, int, int | bytes]) -> bytes:
    """A struct of fields, each its number, type and value."""
    encoded, last = b"", 0
    for number, kind, value in fields:
        encoded += bytes([(number - last) << 4 | kind])
        last = number
        if isinstance(value, int):
            encoded += _whole(value)
        else:
            encoded += (_varint(len(value)) if kind == BINARY else b"") + value
    return encoded + b"\0"


def many(items: Sequence[bytes], kind: int = STRUCT) -> bytes:
    """A list."""
    head = bytes([0xF0 | kind]) + _varint(len(items))
    return head + b"".join(items)


def column(name: bytes, kind: int | None, children: int | None = None) -> bytes:
    """An element of the schema."""
    fields: list[tuple[int, int, int | bytes]] = [(3, INT32, 0), (4, BINARY, name)]
    if kind is not None:
        fields.insert(0, (1, INT32, kind))
    if children is not None:
        fields.append((5, INT32, children))
    return record(*fields, *([(6, INT32, UTF8)] if kind == BYTE_ARRAY else []))


def file(schema: Sequence[bytes], rows: int, groups: Sequence[bytes], body: bytes = b"") -> bytes:
    """A whole file; ``body`` has its pages."""
    footer = record(
        (1, INT32, 1), (2, LIST, many(schema)), (3, INT64, rows), (4, LIST, many(groups))
    )
    return MARK + body + footer + struct.pack("<I", len(footer)) + MARK


def nested(depth: int) -> bytes:
    """A column of structs within structs."""
    within = [column(b"partition", None, 1)] + [column(b"a", None, 1)] * depth
    flat = [column(b"iteration", 2), column(b"rate", 5)]
    return file([column(b"schema", None, 3), *flat, *within, column(b"a", 1)], 0, [])


def of_zeros(said: int, real: int, rows: int = 1) -> bytes:
    """Three columns, each of one page of zeros, which say that they have other sizes."""
    page = pa.Codec("zstd").compress(bytes(real), asbytes=True)
    about = record((1, INT32, rows), (2, INT32, PLAIN), (3, INT32, RLE), (4, INT32, RLE))
    head = record((1, INT32, 0), (2, INT32, real), (3, INT32, len(page)), (5, STRUCT, about))
    body, chunks = b"", []
    for name, kind in ((b"iteration", 2), (b"partition", BYTE_ARRAY), (b"rate", 5)):
        at = len(MARK) + len(body)
        body += head + page
        path = many([_varint(len(name)) + name], BINARY)
        sizes = ((6, INT64, said), (7, INT64, len(head + page)), (9, INT64, at))
        plain = (2, LIST, many([_whole(PLAIN)], INT32))
        said_of = record(
            (1, INT32, kind), plain, (3, LIST, path), (4, INT32, ZSTD), (5, INT64, rows), *sizes
        )
        chunks.append(record((2, INT64, at), (3, STRUCT, said_of)))
    group = record((1, LIST, many(chunks)), (2, INT64, 3 * said), (3, INT64, rows))
    schema = [column(b"schema", None, 3), column(b"iteration", 2)]
    schema += [column(b"partition", BYTE_ARRAY), column(b"rate", 5)]
    return file(schema, rows, [group], body)
