"""Sizes of the pages of a Parquet file, from their headers.

A file's metadata on a whole column may be wrong, and Arrow trusts a page's header: a page of zeros
expands kilobytes to gigabytes. Arrow does not expose these sizes, so the headers are read here:
structs in Thrift's compact protocol, in which two numbers matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from mmap import mmap

UNCOMPRESSED, COMPRESSED = 2, 3
"""Numbers of the fields that hold sizes."""

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _STRUCT = *range(1, 9), 12
_DEEPEST = 8


class Malformed(ValueError):
    """The bytes are not a valid page header."""


def sizes(data: mmap, start: int, end: int) -> Iterator[int]:
    """Decompressed bytes of each page between offsets. Raises Malformed if they are no headers."""
    reader = _Reader(data, start, end)
    while reader.at < end:
        fields = reader.struct(_DEEPEST)
        uncompressed, compressed = fields.get(UNCOMPRESSED, -1), fields.get(COMPRESSED, -1)
        if min(uncompressed, compressed) < 0:
            raise Malformed
        yield uncompressed
        reader.skip(compressed)


class _Reader:
    """Reads a file value by value."""

    def __init__(self, data: mmap, start: int, end: int) -> None:
        self.data, self.at, self.end = data, start, end

    def skip(self, count: int) -> None:
        """Skip some bytes."""
        self.at += count
        if self.at > self.end:
            raise Malformed

    def struct(self, deeper: int) -> dict[int, int]:
        """Integers of a struct, by field number."""
        fields: dict[int, int] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            value = self._value(head & 15, deeper)
            if value is not None:
                fields[number] = value
        return fields

    def _value(self, kind: int, deeper: int) -> int | None:
        """A value if it is an integer, else None; booleans in a struct take no space."""
        if kind in (_I16, _I32, _I64):
            return self._whole()
        if kind in (_BYTE, _DOUBLE):
            self.skip(1 if kind == _BYTE else 8)
        elif kind == _BINARY:
            self.skip(self._varint())
        elif kind == _STRUCT and deeper:
            self.struct(deeper - 1)
        elif kind not in (_TRUE, _FALSE):
            # Headers have neither lists nor maps.
            raise Malformed
        return None

    def _byte(self) -> int:
        self.skip(1)
        return self.data[self.at - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise Malformed

    def _whole(self) -> int:
        zigzag = self._varint()
        return (zigzag >> 1) ^ -(zigzag & 1)
