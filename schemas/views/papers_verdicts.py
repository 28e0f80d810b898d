"""View `verdicts`: what papers publish, and whether runs reproduce it, for all families alike."""

from schemas.column_kinds import text
from schemas.tables import TABLES
from schemas.view import View

_FIGURES, _RUNS = (TABLES[name].column for name in ("published_figures", "runs"))

VIEW = View(
    name="verdicts",
    meaning="Published figures and claims of all papers, with what was found and a verdict.",
    grain="run and published figure or claim",
    columns=(
        _RUNS("run_id"),
        _RUNS("preset"),
        _RUNS("created_at"),
        _FIGURES("figure_key"),
        _FIGURES("source"),
        _FIGURES("location"),
        text("subject", "Workload and algorithm or strategy, or agent and reward."),
        _FIGURES("figure"),
        _FIGURES("unit"),
        _FIGURES("published"),
        _FIGURES("ours"),
        _FIGURES("our_value"),
        _FIGURES("verdict"),
        _FIGURES("note"),
    ),
    key=("run_id", "figure_key"),
    reads=("runs", "published_figures"),
    sql="""\
SELECT r.run_id, r.preset, r.created_at, f.figure_key, f.source, f.location,
  CASE WHEN f.its_workload = '' THEN f.its_strategy
    ELSE concat(f.its_workload, ': ', f.its_strategy) END AS subject,
  f.figure, f.unit, f.published, f.ours, f.our_value, f.verdict, f.note
FROM published_figures f
JOIN runs r ON r.run_id = f.run_id""",
)
