"""View `verdicts`: what papers publish, and whether runs reproduce it, for all families alike."""

from schemas.column_kinds import double, text
from schemas.tables import TABLES
from schemas.verdicts import ALL
from schemas.view import View

_FIGURES, _RUNS = (TABLES[name].column for name in ("published_figures", "runs"))
_LEARNING_SOURCE = "Giannakopoulos and Kalogeraki, DAIS 2022"

VIEW = View(
    name="verdicts",
    meaning="Published figures and claims of all papers, with what was found and a verdict: rows "
    "of published_figures (assignment, autoscaling) and learning_verdicts in the same columns.",
    grain="run and published figure or claim",
    columns=(
        _RUNS("run_id"),
        _RUNS("preset"),
        _RUNS("created_at"),
        text("figure_key", "Name of the figure or claim, the same in every run."),
        _FIGURES("source"),
        _FIGURES("location"),
        text("subject", "Workload and algorithm or strategy, or agent and reward."),
        text("figure", "What is measured or claimed."),
        text("unit", "Unit of the value; empty for counts and statements."),
        text("published", "The figure as published, or the claim."),
        text("ours", "What was found, in words."),
        double("our_value", "as column unit says", "Our value.", None, null="No number."),
        text("verdict", "Verdict.", ALL),
        _FIGURES("note"),
    ),
    key=("run_id", "figure_key"),
    reads=("runs", "published_figures", "learning_verdicts"),
    unites=("published_figures", "learning_verdicts"),
    sql=f"""\
SELECT r.run_id, r.preset, r.created_at, v.figure_key, v.source, v.location, v.subject, v.figure,
  v.unit, v.published, v.ours, v.our_value, v.verdict, v.note
FROM (
  SELECT run_id, figure_key, source, location,
    concat(its_workload, ': ', its_strategy) AS subject, figure, unit, published, ours, our_value,
    verdict, note
  FROM published_figures
  UNION ALL
  SELECT run_id, concat(experiment, ': ', claim, ': ', subject) AS figure_key,
    '{_LEARNING_SOURCE}' AS source, location, subject, measure AS figure, '' AS unit,
    statement AS published,
    coalesce(concat(CAST(round(value, 3) AS VARCHAR(32)), ' in ', CAST(seeds AS VARCHAR(32)),
      ' seeds'), '–') AS ours,
    value AS our_value, verdict, note
  FROM learning_verdicts
) v
JOIN runs r ON r.run_id = v.run_id""",
)
