"""A setting is declared once, on its field's line: default, meaning, unit and limits.

Needs the standard library alone: contracts of tables and the configuration read declarations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, Field, dataclass, field
from types import MappingProxyType, NoneType
from typing import Any, Final, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from algorithms.core.input_errors import InvalidParameterError
from algorithms.core.plain_values import finite, shown, whole, without_numpy

T = TypeVar("T")

REQUIRED: Final[Any] = MISSING
"""In place of a default: there is none."""

Limit = float | str | tuple[float, str] | None
"""A number, the name of a neighbour, or both."""

_DECLARED: dict[type, Mapping[str, Declaration]] = {}

UNIT_FREE = ("ratio", "index")
"""Units that messages leave out."""


class SettingError(InvalidParameterError):
    """A setting is not as declared: `names`, the wrong one first, and its `place` in a list."""

    def __init__(
        self, names: tuple[str, ...], allowed: str, value: object, place: int | None = None
    ) -> None:
        at = "" if place is None else f"[{place}]"
        super().__init__(f"{names[0]}{at} must be {allowed} (got {shown(value)})")
        self.names, self.allowed, self.value, self.at = names, allowed, value, at


class Written(NamedTuple):
    """Texts that are allowed in place of a number."""

    form: str
    """What they are, as messages say it."""
    read: Callable[[str], str | None]
    """The text as it is stored, None if it has another form; raises ValueError, which says what it
    must be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What is declared of a setting."""

    name: str
    kind: type
    """``int``, ``float``, ``bool`` or ``str``; of each value where there are several."""
    default: Any
    meaning: str
    unit: str
    at_least: float | None
    at_most: float | None
    above: float | None
    neighbour_below: str
    neighbour_above: str
    """`neighbour_below`, `neighbour_above`: settings that it must be at least or at most; empty if
    there is none."""
    one_of: tuple[Any, ...]
    length: int | None
    """Number of values of a series; None: any from 1."""
    written: Written | None
    is_optional: bool
    is_series: bool
    is_single: bool
    """`is_optional`, `is_series`, `is_single`: whether None, several values, or one value are
    allowed."""

    @property
    def limits(self) -> str:
        """What a value must be, as messages say it."""
        if not self.is_series:
            return self._each
        if self.is_single:
            return f"{self._each}, or a list of such"
        count = "a list of at least one" if self.length is None else f"a list of {self.length}"
        return f"{count}, each {self._each}"

    @property
    def _each(self) -> str:
        if self.one_of:
            return f"one of {', '.join(map(str, self.one_of))}"
        if self.kind is bool:
            return "true or false"
        if self.kind is str:
            return "a text"
        return self._number if self.written is None else f"{self._number}, or {self.written.form}"

    @property
    def _number(self) -> str:
        noun, form = ("an integer", ",") if self.kind is int else ("a number", "g")
        unit = f" {self.unit}" if self.unit and self.unit not in UNIT_FREE else ""
        unit = unit if self.kind is float else ""
        least, most, above = (
            None if limit is None else f"{limit:{form}}"
            for limit in (self.at_least, self.at_most, self.above)
        )
        if least is not None and most is not None:
            return f"{noun} between {least} and {most}{unit}"
        lower = (
            f" above {above}"
            if above is not None
            else f" of at least {least}" * (least is not None)
        )
        upper = "" if most is None else f" and at most {most}" if lower else f" of at most {most}"
        return f"{noun}{lower}{upper}{unit}"

    def check(self, value: object) -> Any:
        """Return the value as the plain type that is declared, or raise `SettingError`."""
        plain = without_numpy(value)
        if plain is None and self.is_optional:
            return None
        if self.is_series and not (self.is_single and not isinstance(plain, tuple | list)):
            return self._series(plain)
        checked = self._one(plain)
        if checked is None:
            raise SettingError((self.name,), self.limits, value)
        return checked

    def _series(self, value: object) -> tuple[Any, ...]:
        values = value if isinstance(value, tuple | list) else (value,)
        checked = tuple(self._one(without_numpy(each)) for each in values)
        has_length = bool(checked) and self.length in (None, len(checked))
        if has_length and None not in checked:
            return checked
        if values is not value or not has_length:
            raise SettingError((self.name,), self.limits, value)
        place = checked.index(None)
        raise SettingError((self.name,), self._each, values[place], place)

    def _one(self, value: object) -> Any:
        """The value as it is stored; None if it is not allowed."""
        if self.kind is bool:
            return value if isinstance(value, bool) else None
        if self.kind is str:
            text = value if isinstance(value, str) else None
            return text if not self.one_of or text in self.one_of else None
        if self.written is not None and isinstance(value, str):
            return self._text(self.written, value)
        number = whole(value) if self.kind is int else finite(value)
        return number if number is not None and self._is_within(number) else None

    def _text(self, written: Written, value: str) -> str | None:
        try:
            return written.read(value)
        except ValueError as error:
            raise SettingError((self.name,), str(error), value) from None

    def _is_within(self, number: float) -> bool:
        return (
            (not self.one_of or number in self.one_of)
            and (self.at_least is None or number >= self.at_least)
            and (self.at_most is None or number <= self.at_most)
            and (self.above is None or number > self.above)
        )


def setting(
    default: T,
    meaning: str,
    unit: str = "",
    *,
    at_least: Limit = None,
    at_most: Limit = None,
    above: float | None = None,
    one_of: Iterable[Any] = (),
    length: int | None = None,
    written: Written | None = None,
) -> T:
    """A dataclass's field with its declaration; for ``default`` see also `REQUIRED`."""
    facts = {
        "meaning": meaning,
        "unit": unit,
        "at_least": _number(at_least),
        "at_most": _number(at_most),
        "above": above,
        "neighbour_below": _neighbour(at_least),
        "neighbour_above": _neighbour(at_most),
        "one_of": tuple(one_of),
        "length": length,
        "written": written,
    }
    made: T = field(default=default, metadata={"setting": MappingProxyType(facts)})
    return made


def _number(limit: Limit) -> float | None:
    return limit[0] if isinstance(limit, tuple) else None if isinstance(limit, str) else limit


def _neighbour(limit: Limit) -> str:
    return limit[1] if isinstance(limit, tuple) else limit if isinstance(limit, str) else ""


def declared(cls: type) -> Mapping[str, Declaration]:
    """Settings of a dataclass, or of a class that inherits from some, by name.

    >>> @dataclass
    ... class Agent:
    ...     gamma: float = setting(0.99, "Discount.", at_least=0, at_most=1)
    >>> declared(Agent)["gamma"].limits
    'a number between 0 and 1'
    >>> declared(Agent)["gamma"].check(1)
    1.0
    """
    if cls not in _DECLARED:
        _DECLARED[cls] = MappingProxyType(_collected(cls))
    return _DECLARED[cls]


def _collected(cls: type) -> dict[str, Declaration]:
    items: dict[str, Declaration] = {}
    for base in reversed(cls.__mro__):
        own: Mapping[str, Field[Any]] = base.__dict__.get("__dataclass_fields__", {})
        hints = get_type_hints(base) if own else {}
        for name, each in own.items():
            if "setting" in each.metadata:
                items[name] = _declaration(name, hints[name], each)
    return items


def _declaration(name: str, hint: Any, each: Field[Any]) -> Declaration:
    kinds = get_args(hint) if get_origin(hint) not in (None, tuple) else (hint,)
    series = [get_args(kind)[0] for kind in kinds if get_origin(kind) is tuple]
    single = [kind for kind in kinds if get_origin(kind) is not tuple and kind is not NoneType]
    return Declaration(
        name=name,
        kind=(single or series)[0],
        default=each.default,
        is_optional=NoneType in kinds,
        is_series=bool(series),
        is_single=bool(single),
        **each.metadata["setting"],
    )


def shared(settings: Any, names: Iterable[str]) -> dict[str, Any]:
    """Settings that are among some names, such as the fields of a kernel's tuple."""
    own = declared(settings.__class__)
    return {name: getattr(settings, name) for name in names if name in own}
