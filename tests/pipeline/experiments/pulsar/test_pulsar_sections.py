"""What page and terminal say of a run on Pulsar."""

from __future__ import annotations

import pytest

from pipeline.experiments.pulsar.results.pulsar_study import studies
from pipeline.experiments.pulsar.sections import pulsar_answer, pulsar_page
from pipeline.experiments.pulsar.sections.figures import gaps_figure, measured_courses
from pipeline.experiments.pulsar.sections.pulsar_sections import written
from tests.pipeline.experiments.pulsar import pulsar_cases
from tests.sentence_facts import facts_in, figures_of

pytestmark = pytest.mark.unit


def test_the_answer_names_the_best_and_counts_what_agrees() -> None:
    best, agreement = written(pulsar_cases.small()).answer.answer
    facts = ["2", "ds2", "extended", "0.750 s", "1.5"]
    assert facts_in(best, *facts) == facts
    assert figures_of(agreement)[:2] == ["2", "4"]


def test_what_cannot_be_judged_has_its_reason() -> None:
    """Without events nothing agrees, but it was simulated, unless changes were at set times."""
    (study,) = studies(pulsar_cases.small())
    empty = study._replace(intervals=study.intervals.assign(verdict=None))
    fixed = empty._replace(setting={**study.setting, "resizings": 1})
    nothing, planned, both = (
        pulsar_answer.answer(every).answer[1] for every in ([empty], [fixed], [fixed, empty])
    )
    assert nothing == both != planned


def test_losses_have_their_bound() -> None:
    note = written(pulsar_cases.small()).answer.notes[0].replace("\xa0", " ")
    # 3 of 480 are 0.625 %; a bound is not rounded down.
    assert note.startswith("Of 480 events that Pulsar stored, 0 were lost (at most 0.63 %")
    assert "1 came out again, over 2 changes" in note


def test_losses_of_what_processes_at_most_once_are_reported_per_change() -> None:
    (study,) = studies(pulsar_cases.small())
    lossy = study._replace(
        setting={**study.setting, "guarantee": "atmost_once"},
        runs=study.runs.assign(drained=False, lost=3),
        changes=study.changes.assign(lost=[3, 0]),
    )
    first, losses, *others = pulsar_answer.answer([lossy]).notes
    # Without a bound: something was lost.
    assert figures_of(first) == ["480", "6", "1", "2"]
    of_lossy = ["pulsed", "3.00", "stock", "up", "0.00", "extended", "up"]
    assert facts_in(losses, *of_lossy) == of_lossy
    assert figures_of(losses) == ["3.00", "0.00"]
    # What is lost never comes out: such a run always waits to its end. Others have a note on it.
    kept = pulsar_answer.answer([lossy._replace(setting=study.setting)]).notes
    (waiting,) = set(kept) - {first, *others}
    assert figures_of(waiting) == ["2"]
    none = lossy._replace(changes=lossy.changes.iloc[:0])
    assert not figures_of(pulsar_answer.answer([none]).notes[1])
    # Windows without a change are shown for comparison.
    still = lossy._replace(name="still", changes=lossy.changes.assign(kind=["up", "none"]))
    both = pulsar_answer.answer([lossy, still]).notes[1]
    of_still = ["still", "3.00", "stock", "up", "0.00", "extended", "no change"]
    assert facts_in(both, *of_lossy, *of_still) == [*of_lossy, *of_still]


def test_the_page_shows_both_executors() -> None:
    page = pulsar_page.build(pulsar_cases.small())
    assert "Does scaling interrupt a real Pulsar?" in page
    assert "ds2, extended" in page
    assert "ds2, stock" in page


def test_gaps_are_drawn_for_changes_at_set_times_alone() -> None:
    (study,) = studies(pulsar_cases.small())
    assert gaps_figure.gaps(study, 1) is None
    fixed = study._replace(setting={**study.setting, "resizings": 1})
    figure = gaps_figure.gaps(fixed, 1)
    assert figure is not None
    facts = ["stock", "0.600 s", "extended", "0.300 s"]
    assert facts_in(figure.alt, *facts) == facts


def test_figures_have_simulated_and_measured_side_by_side() -> None:
    """Per policy and executor, instances once; responses without the first step."""
    (study,) = studies(pulsar_cases.small())
    figure = measured_courses.policies_over_time(study, 1)
    assert figure is not None
    facts = ["ds2", "stock", "simulated", "1", "2", "0.600", "0.800 s"]
    facts += ["ds2", "stock", "measured", "1", "2", "0.900", "1.40 s", "extended"]
    assert facts_in(figure.alt, *facts) == facts
    assert figure.wide.count('class="line s-red dashed"') == 2 * 2 + 1
    rates = measured_courses.source_rates(study, 2)
    assert rates is not None
    facts = ["simulated", "1", "3 events/s", "measured", "1", "3 events/s"]
    assert facts_in(rates.alt, *facts) == facts


def test_steps_without_output_are_left_out() -> None:
    (study,) = studies(pulsar_cases.small())
    none = study.steps.assign(mean_s=float("nan"))
    figure = measured_courses.policies_over_time(study._replace(steps=none), 1)
    assert figure is not None
    # Those that were measured with the stock executor.
    assert not {"0.900", "1.40"} & set(figures_of(figure.alt))
    assert "nan" not in figure.wide + figure.alt
    assert measured_courses.source_rates(study._replace(steps=none.iloc[:0]), 1) is None
