"""Write the data dictionary, its views, and the pages of settings, stages and faults to ``docs/``.

Run ``python -m pipeline.experiments.data_dictionary``.
"""

from __future__ import annotations

from pathlib import Path

from pipeline.experiments import lineage, stages_page
from pipeline.experiments.live.faults import faults_page
from pipeline.settings import settings_page
from schemas import TABLES, VIEWS
from schemas.render import dictionary, views_sql
from schemas.view_functions import FUNCTIONS

DOCS = Path(__file__).parents[2] / "docs"


def pages() -> dict[str, str]:
    """Texts by their path below ``docs/``: Markdown, and one of SQL."""
    return {
        views_sql.PAGE: views_sql.views_sql(FUNCTIONS, VIEWS.values()),
        settings_page.PAGE: settings_page.page(),
        stages_page.PAGE: stages_page.page(),
        faults_page.PAGE: faults_page.page(),
        **dictionary(TABLES, VIEWS, lineage.of_tables()),
    }


def main() -> None:
    """Write the pages."""
    for page, text in pages().items():
        path = DOCS / page
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
