"""The beginning of a file, by which its form is recognised."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

_BOM = b"\xef\xbb\xbf"
_BYTES = 4096
NOTE = "# Note: "
"""What lines above the header of a CSV file begin with that are kept as notes."""
ZIP = b"PK\x03\x04"


class Head(NamedTuple):
    """What is seen of a file before it is read."""

    path: Path
    data: bytes
    """Its first bytes, without a byte order mark."""
    text: str
    """The same as text, from the first character that is no blank."""

    @property
    def ending(self) -> str:
        """Ending of the file's name, in lower case."""
        return self.path.suffix.lower()

    @property
    def is_parquet(self) -> bool:
        """Whether the file begins as Parquet does."""
        return self.data.startswith(b"PAR1")

    @property
    def is_compressed(self) -> bool:
        """Whether the file begins as those of gzip, Zip or Zstandard do."""
        return self.data.startswith((b"\x1f\x8b", ZIP, b"\x28\xb5\x2f\xfd"))

    def is_named(self, *endings: str) -> bool:
        """Whether a file that is not compressed has one of some endings."""
        return self.ending in endings and not self.is_compressed

    @property
    def is_blank(self) -> bool:
        """Whether the whole file has nothing but blanks."""
        return not self.text and len(self.data) < _BYTES


def of(path: Path) -> Head:
    """The head of a file that can be read."""
    with path.open("rb") as file:
        data = file.read(_BYTES).removeprefix(_BOM)
    return Head(path, data, data.lstrip().decode("utf-8", "replace"))
