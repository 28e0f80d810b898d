"""Numbers in the cells of a panel's export, in the notations of several countries.

A file has one notation: a decimal point or a decimal comma. Cells that are a number in just one of
them decide. ``1,500`` and ``12.345`` can be read in both: where no other cell decides, a comma is
a decimal mark between semicolons and a mark of thousands between commas, and a point is refused.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from pipeline.base.errors import InputError
from pipeline.base.text.quoting import named, shown
from pipeline.inputs.traces.files import SEE
from pipeline.inputs.traces.rates.metric_names import BYTES, MESSAGES, UNKNOWN

_MISSING = frozenset({"", "-", "null", "undefined", "nan", "no data", "n/a"})
_SCALES = {
    "": 1.0,
    **dict.fromkeys(("k", "K"), 1e3),
    **dict.fromkeys(("M", "Mil"), 1e6),
    **dict.fromkeys(("G", "Bil"), 1e9),
    **dict.fromkeys(("T", "Tri"), 1e12),
    **{"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40},
}
_CELL = re.compile(
    r"(?P<number>[-+]?[0-9.,' ]*[0-9][0-9.,]*(?:[eE][-+]?[0-9]+)?) ?"
    r"(?P<scale>Mil|Bil|Tri|Ki|Mi|Gi|Ti|[kKMGT])? ?"
    r"(?P<unit>B|B/s|Bps|bytes/s|[a-z]{0,8}/(?P<long>s|m|min|h)|[cemorw]ps|iops|[cemorw]p(?P<m>m))?",
    re.ASCII,
)
_BITS = re.compile(r".*\b[kKMGT]?i?(?:b|b/s|bps|bits?/s)", re.ASCII)
_POINT, _COMMA = (
    re.compile(
        rf"[-+]?(?:[1-9][0-9]{{0,2}}(?P<mark>[{group} '])[0-9]{{3}}(?:(?P=mark)[0-9]{{3}})*"
        rf"(?:{decimal}[0-9]*)?|{indian}[0-9]*(?:{decimal}[0-9]*)?(?:[eE][-+]?[0-9]+)?)",
        re.ASCII,
    )
    for group, decimal, indian in (
        (",", r"\.", r"[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}(?:\.[0-9]*)?|"),
        (".", ",", ""),
    )
)
_SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


class Numbers:
    """Reads the cells of a file: first all of them for `learn`, then each for `value`.

    unit: Unit of the rates, as far as the cells say.
    are_rates: Whether a cell has a unit per time.
    is_formatted: Whether a cell is rounded, as the panel shows it.
    """

    def __init__(self, mark: str) -> None:
        self.unit, self.are_rates = UNKNOWN, False
        self.is_formatted, self._mark, self._length = False, mark, 1.0
        self._has_comma, self._is_guess = False, False

    def learn(self, where: str, cells: Iterable[str]) -> None:
        """Decide the notation by all cells. Raises InputError if they contradict, or fit both."""
        marks = {"point": "", "comma": "", ",": "", ".": ""}
        for cell in cells:
            kind = _notation(cell)
            if kind and not marks[kind]:
                marks[kind] = cell
                if kind == "point" and self._mark == "," and not marks["comma"]:
                    break
        if marks["point"] and marks["comma"]:
            raise InputError(
                f"{where}: numbers have decimal points and decimal commas (got "
                f"{shown(marks['point'])} and {shown(marks['comma'])}); export with 'Formatted "
                f"data' off; {SEE}"
            )
        if marks["point"] or marks["comma"]:
            self._has_comma = bool(marks["comma"])
        elif marks["."]:
            raise InputError(
                f"{where}: a point can mark decimals or thousands (got {shown(marks['.'])}); "
                f"export with 'Formatted data' off, or with more decimals; {SEE}"
            )
        elif marks[","]:
            self._has_comma, self._is_guess = self._mark == ";", True

    def value(self, where: str, name: str, cell: str) -> float:
        """The number, NaN if empty. Raises InputError if none, below 0 or in another unit."""
        text = _plain(cell)
        if text.lower() in _MISSING:
            return math.nan
        try:
            number = math.nan if self._has_comma else float(text)
        except ValueError:
            number = math.nan
        if math.isnan(number):
            number = self._number(where, text)
        if not 0.0 <= number < math.inf:
            unit = "; set the panel's unit to bytes/sec" if _BITS.fullmatch(text) else ""
            raise InputError(
                f"{where}: column {named(name)} must have numbers, 0 or more (got {shown(cell)})"
                f"{unit}; {SEE}"
            )
        return number

    def notes(self) -> tuple[str, ...]:
        """What was decided about the numbers, in sentences."""
        notes = []
        if self.is_formatted:
            notes.append(
                "Values are rounded as the panel shows them. For exact values, export with "
                "'Formatted data' off."
            )
        if self._has_comma:
            why = ", since semicolons separate the cells" if self._is_guess else ""
            notes.append(f"Commas count as decimal marks{why}.")
        elif self._is_guess:
            notes.append("Commas count as marks of thousands.")
        if self._length != 1.0:
            per = "minute" if self._length == 60.0 else "hour"
            notes.append(f"Values per {per} are divided by {self._length:,.0f}.")
        return tuple(notes)

    def _number(self, where: str, text: str) -> float:
        """The number of a formatted cell such as ``1.2 MB/s``; NaN if it is none."""
        match = None if _BITS.fullmatch(text) else _CELL.fullmatch(text)
        if match is None:
            return math.nan
        number = _read(match["number"], self._has_comma)
        if match["scale"] or match["unit"] or not self._has_comma:
            self.is_formatted = True
        if match["unit"]:
            self._set_unit(where, match["unit"], match["long"] or match["m"])
        return number * _SCALES[match["scale"] or ""] / self._length

    def _set_unit(self, where: str, text: str, long: str | None) -> None:
        unit = BYTES if text[0] == "B" or text.startswith("bytes") else MESSAGES
        length = _SECONDS[long] if long else 1.0
        if self.unit not in (UNKNOWN, unit) or (self.are_rates and length != self._length):
            raise InputError(
                f"{where}: columns have several units; export one panel for each; {SEE}"
            )
        self.unit, self._length = unit, length
        self.are_rates = self.are_rates or text != "B"


def _plain(cell: str) -> str:
    """A cell in which marks of thousands that look alike are the same."""
    text = cell.strip()
    if text.isascii():
        return text
    for marks, mark in (("\u00a0\u202f\u2009", " "), ("\u2019", "'")):
        for other in marks:
            text = text.replace(other, mark)
    return text.strip()


def _read(text: str, has_comma: bool) -> float:
    """A number in a notation; NaN if it is none."""
    if (_COMMA if has_comma else _POINT).fullmatch(text) is None:
        return math.nan
    group, decimal = (".", ",") if has_comma else (",", ".")
    for mark in (group, " ", "'"):
        text = text.replace(mark, "")
    try:
        return float(text.replace(decimal, "."))
    except ValueError:
        return math.nan


def _notation(cell: str) -> str:
    """``point``, ``comma`` or the mark that decides; empty if both read the same, or none."""
    if "," not in cell and "." not in cell:
        return ""
    match = _CELL.fullmatch(_plain(cell))
    if match is None:
        return ""
    point, comma = (_read(match["number"], has_comma) for has_comma in (False, True))
    if math.isnan(point) or math.isnan(comma):
        return "comma" if not math.isnan(comma) else "" if math.isnan(point) else "point"
    if point == comma:
        return ""
    return "," if "," in match["number"] else "."
