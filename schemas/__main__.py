"""Write the data dictionary below ``docs/``: ``python -m schemas``."""

from pathlib import Path

from schemas import TABLES, VIEWS
from schemas.render import dictionary

DOCS = Path(__file__).parents[1] / "docs"

for page, text in dictionary(TABLES, VIEWS).items():
    path = DOCS / page
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, encoding="utf-8")
