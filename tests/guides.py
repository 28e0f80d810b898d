"""Examples that pages of the documentation give, for tests that run them."""

from __future__ import annotations

from tools.layout import here


def python(page: str) -> str:
    """The first example in Python on a page below ``docs/``."""
    _, _, rest = (here().root / "docs" / page).read_text().partition("```python\n")
    code, end, _ = rest.partition("```")
    assert end, f"{page} has no example in Python"
    return code
