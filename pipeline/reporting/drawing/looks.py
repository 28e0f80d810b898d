"""How curves, marks and names of one algorithm or strategy look in all figures."""

from __future__ import annotations

from typing import NamedTuple


class Look(NamedTuple):
    """Appearance of one algorithm or strategy."""

    colour: str
    """Name of a colour of figures.css."""
    mark: str
    """A mark of `svg.marker`."""
    filled: bool = True
    dashed: bool = False
    strong: bool = False
    dotted: bool = False
    """`filled`, `dashed`, `strong`, `dotted`: filling of the mark, and style and weight of the
    line."""

    @property
    def line(self) -> str:
        """CSS classes of a line."""
        names = ["line", f"s-{self.colour}"]
        names += ["dashed"] if self.dashed else ["dash-dot"] if self.dotted else []
        names += ["strong"] if self.strong else []
        return " ".join(names)

    @property
    def point(self) -> str:
        """CSS classes of a mark."""
        filling = f"f-{self.colour}" if self.filled else "hollow"
        return f"mark {filling} s-{self.colour}"

    @property
    def text(self) -> str:
        """CSS classes of a label."""
        return f"name t-{self.colour}" + (" bold" if self.strong else "")

    @property
    def bar(self) -> str:
        """CSS classes of an error bar."""
        return f"bar s-{self.colour}"
