"""What page and terminal say of a run on Pulsar."""

from __future__ import annotations

import pytest

from pipeline.experiments.pulsar.results.pulsar_study import studies
from pipeline.experiments.pulsar.sections import pulsar_answer, pulsar_page
from pipeline.experiments.pulsar.sections.figures import gaps_figure, measured_courses
from pipeline.experiments.pulsar.sections.pulsar_sections import written
from tests.pipeline.experiments.pulsar import pulsar_cases

pytestmark = pytest.mark.unit


def test_the_answer_names_the_best_and_counts_what_agrees() -> None:
    best, agreement = written(pulsar_cases.small()).answer.answer
    assert "ds2 (extended) has the lowest mean response: 0.75" in best.replace(" ", " ")
    assert agreement.startswith("In 2 of 4 intervals")


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
    assert first.startswith("Of 480 events that Pulsar stored, 6 were lost and")
    assert losses == (
        "Losses of functions that process at most once are reported, not judged. Events lost per "
        "change in pulsed: 3.00 with the stock executor (up), 0.00 with the extended executor (up)."
    )
    # What is lost never comes out: such a run always waits to its end.
    assert not [note for note in others if "not drained" in note]
    none = lossy._replace(changes=lossy.changes.iloc[:0])
    assert pulsar_answer.answer([none]).notes[1].endswith("not judged.")
    # Windows without a change are shown for comparison.
    still = lossy._replace(name="still", changes=lossy.changes.assign(kind=["up", "none"]))
    both = pulsar_answer.answer([lossy, still]).notes[1]
    assert both.startswith(f"{losses} Events lost per change in still: 3.00 with the stock ")
    assert both.endswith("executor (up), 0.00 with the extended executor (no change).")


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
    assert "stock, one more: median" in figure.alt


def test_figures_have_simulated_and_measured_side_by_side() -> None:
    """Per policy and executor, instances once; responses without the first step."""
    (study,) = studies(pulsar_cases.small())
    figure = measured_courses.policies_over_time(study, 1)
    assert figure is not None
    assert "ds2, stock, simulated: 1 to 2 instances" in figure.alt
    assert "mean response times of 0.600 to 0.800 s; ds2, stock, measured" in figure.alt
    assert "mean response times of 0.900 to 1.40 s" in figure.alt
    assert figure.wide.count('class="line s-red dashed"') == 2 * 2 + 1
    rates = measured_courses.source_rates(study, 2)
    assert rates is not None
    assert rates.alt == "simulated: 1 to 3 events/s; measured: 1 to 3 events/s."


def test_steps_without_output_are_left_out() -> None:
    (study,) = studies(pulsar_cases.small())
    none = study.steps.assign(mean_s=float("nan"))
    figure = measured_courses.policies_over_time(study._replace(steps=none), 1)
    assert figure is not None
    assert "no completed events" in figure.alt
    assert "nan" not in figure.wide
    assert measured_courses.source_rates(study._replace(steps=none.iloc[:0]), 1) is None
