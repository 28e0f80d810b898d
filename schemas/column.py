"""Contract of one column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import KW_ONLY, dataclass

from schemas import naming_rules
from schemas.contract_errors import ContractError

SCALARS = ("string", "int", "long", "double", "boolean", "timestamp")
ARRAYS = ("array<string>", "array<int>", "array<long>", "array<double>")
NUMBERS = ("int", "long", "double")


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table. Raises ContractError if it is incomplete or contradicts itself."""

    name: str
    """Lower case with underscores."""
    type: str
    """One of `SCALARS` or `ARRAYS`."""
    meaning: str
    """Meaning of a value, for a reader without access to the code."""
    unit: str = ""
    """Unit of the numbers; required where there are any."""
    _: KW_ONLY
    nullable: bool = False
    """Whether a row may have no value here."""
    element_nullable: bool = False
    """Whether an array may have elements without a value."""
    null_means: str = ""
    """Meaning of a missing value (or element); required if values can be missing."""
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: float | None = None
    """`minimum`, `maximum`, `exclusive_minimum`: bounds of the numbers, of each element for an
    array."""
    infinity_allowed: bool = False
    """Whether a double may be +inf. It may never be NaN or -inf."""
    allowed: tuple[str, ...] = ()
    """The only strings that may occur."""
    measured: bool = False
    """Whether the numbers are measurements of the machine, which differ between runs of the same
    configuration."""

    def __post_init__(self) -> None:
        """Refuse a definition that is incomplete or contradicts itself."""
        problems = naming_rules.problems(self.name, self.meaning)
        problems += [problem for broken, problem in self._contradictions() if broken]
        if problems:
            raise ContractError(f"column {self.name!r}: {'; '.join(problems)}")

    def _contradictions(self) -> Iterator[tuple[bool, str]]:
        number, has_nulls = self.element_type in NUMBERS, self.nullable or self.element_nullable
        bounds = (self.minimum, self.maximum, self.exclusive_minimum)
        yield self.type not in SCALARS + ARRAYS, f"unknown type {self.type!r}"
        yield number and not self.unit, "a number needs a unit"
        yield bool(self.unit) and not number, "only numbers have a unit"
        yield has_nulls and not self.null_means, "null_means must say what null says"
        yield bool(self.null_means) and not has_nulls, "null_means is given, but nothing is null"
        yield self.element_nullable and not self.is_array, "only arrays have elements"
        yield not number and any(bound is not None for bound in bounds), "only numbers have bounds"
        yield None not in (self.minimum, self.exclusive_minimum), "two lower bounds"
        yield self.infinity_allowed and self.type != "double", "only doubles can be infinite"
        yield self.infinity_allowed and self.maximum is not None, "infinite, yet bounded above"
        yield bool(self.allowed) and self.type != "string", "only strings have allowed values"

    @property
    def is_array(self) -> bool:
        """Whether a value is a list."""
        return self.type in ARRAYS

    @property
    def element_type(self) -> str:
        """Type of one element of an array, of the value itself otherwise."""
        return self.type.removeprefix("array<").removesuffix(">")


def named(columns: Iterable[Column], name: str, owner: str) -> Column:
    """Return a column by its name.

    owner: What has the columns, as a message calls it.
    Raises ContractError if there is no such column; the message lists the columns.
    """
    by_name = {column.name: column for column in columns}
    if name not in by_name:
        raise ContractError(f"{owner}: no column {name!r}; there are {', '.join(by_name)}")
    return by_name[name]
