"""Verdicts on claims follow from trainings, seeds, printed settings and the sensitivity table."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pandas as pd
import pytest

from algorithms.learning import measured_latencies
from algorithms.learning.agent_settings import BUDGETS
from algorithms.learning.measured_latencies import MeasuredRow
from pipeline.experiments.learning.published import CLAIMS as PUBLISHED
from pipeline.settings.learning_presets import CLAIMS, PAPER, RAW, RAW_VARIATIONS, VARIATIONS
from tests.pipeline.experiments.learning.claim_cases import (
    Row,
    evaluations,
    experiment,
    judged,
    of,
    table,
    trainings,
)

pytestmark = [pytest.mark.unit, pytest.mark.slow]

SUBJECT = "dqn, count"
REWARDS = ("count", "violations", "weighted")


def on_count(successes: int, agreeing: int = 10, seeds: int = 30, **settings: Any) -> Row:
    """R1 for DQN, with the whole sensitivity table of as many seeds that succeed."""
    base, more = experiment("paper", seeds, **settings), table(**settings)
    rows = judged([(base, trainings(base, successes)), (more, trainings(more, agreeing))])
    return of(rows, "R1", SUBJECT)


@pytest.mark.parametrize(
    ("successes", "verdict"), [(28, "reproduced"), (2, "not reproduced"), (15, "open")]
)
def test_the_interval_decides(successes: int, verdict: str) -> None:
    claim = on_count(successes)
    assert claim["verdict"] == verdict
    assert claim["value"] == successes / 30
    assert claim["low"] < claim["value"] < claim["high"]
    assert (claim["variants"], claim["seeds"]) == (len(VARIATIONS), 30)


def test_without_variants_or_with_few_seeds_a_claim_stays_open() -> None:
    base = experiment("paper")
    alone = of(judged([(base, trainings(base, 28))]), "R1", SUBJECT)
    assert (alone["verdict"], alone["variants"]) == ("open", 0)
    assert "No variants were trained" in alone["note"]
    few = on_count(20, seeds=20)
    assert few["verdict"] == "open"
    assert "Fewer than 30 seeds" in few["note"]


@pytest.mark.parametrize(
    "settings",
    [{"episodes": 3}, {"episodes": 100, "evaluate_every": 10}, {"steps": 12}, {"hidden": (8,)}],
)
def test_other_settings_than_the_printed_ones_leave_every_claim_open(
    settings: dict[str, Any],
) -> None:
    """The same settings in all variants."""
    base, more = experiment("paper", **settings), table(**settings)
    rows = judged([(base, trainings(base, 28)), (more, trainings(more, 10))])
    assert verdicts(rows) == {"open"}
    name, value = next(iter(settings.items()))
    claim = of(rows, "R1", SUBJECT)
    assert f"Other settings than the paper's: {name} {value} (printed" in claim["note"]
    assert claim["variants"] >= len(VARIATIONS) - 1


def test_claims_about_several_agents_and_rewards_need_them_all() -> None:
    base = experiment("paper", agents=("dqn",))
    more = table(agents=("dqn",))
    rows = judged([(base, trainings(base, 28)), (more, trainings(more, 10))])
    assert of(rows, "R1", SUBJECT)["verdict"] == "reproduced"
    budget = of(rows, "R7")
    assert (budget["verdict"], budget["value"]) == ("open", 28 / 30)
    assert "Not trained: double_dqn with reward count, dqn with reward violations" in budget["note"]


def test_every_claim_has_a_row_that_says_what_it_lacks() -> None:
    base = experiment("paper", agents=("dqn",))
    rows = judged([(base, trainings(base, 28))])
    assert {row["claim"] for row in rows} == set(PUBLISHED)
    assert of(rows, "R2")["note"] == (
        "Not tested: dqn with reward violations, double_dqn with reward violations were not "
        "trained."
    )
    assert "double_dqn with reward count" in of(rows, "R5")["note"]
    assert "double_dqn with reward count" in of(rows, "R6")["note"]
    assert of(rows, "R4")["note"].startswith(
        "Not tested: dqn with reward weighted, double_dqn with"
    )
    assert of(rows, "R11")["note"].startswith("Not tested")
    assert verdicts(rows) == {"open"}


def verdicts(rows: list[Row]) -> set[str]:
    """Verdicts but those of R6 and R10, which hold by construction whatever is trained."""
    constructed = {row["verdict"] for row in rows if row["claim"] in ("R6", "R10")}
    assert constructed == {"by construction"}
    return {row["verdict"] for row in rows if row["claim"] not in ("R6", "R10")}


def test_claims_without_values_are_stored_in_their_order() -> None:
    base = experiment("paper", agents=("dqn",))
    ids = [row["claim"] for row in judged([(base, trainings(base, 28))])]
    assert ids == [f"R{number}" for number in range(1, 12)]


def test_a_variant_with_the_settings_of_the_experiment_is_named_as_such() -> None:
    """No training could supply it, and the claim stays open."""
    base, more = experiment("paper", spread=0.04), table(variants=VARIATIONS[1:], spread=0.04)
    claim = of(judged([(base, trainings(base, 28)), (more, trainings(more, 10))]), "R1", SUBJECT)
    assert (claim["verdict"], claim["variants"]) == ("open", len(VARIATIONS) - 2)
    assert f"Variants that were not trained: {VARIATIONS[0]}." in claim["note"]
    assert "change nothing about the experiment's settings: spread=0.04." in claim["note"]


def test_one_missing_variant_leaves_a_claim_open() -> None:
    base, more = experiment("paper"), table(variants=VARIATIONS[1:])
    claim = of(judged([(base, trainings(base, 28)), (more, trainings(more, 10))]), "R1", SUBJECT)
    assert (claim["verdict"], claim["variants"]) == ("open", len(VARIATIONS) - 1)
    assert f"Variants that were not trained: {VARIATIONS[0]}." in claim["note"]


def test_a_single_variant_is_no_sensitivity_table() -> None:
    base, more = experiment("paper"), experiment("more", 10, variants=("gamma=0.9",))
    claim = of(judged([(base, trainings(base, 28)), (more, trainings(more, 10))]), "R1", SUBJECT)
    assert (claim["verdict"], claim["variants"], claim["variants_agreeing"]) == ("open", 1, 1)


@pytest.mark.parametrize(
    "settings", [{"steps": 12}, {"replication": 2.0}, {"held_out": 4}, {"slo_violations_ms": 250.0}]
)
def test_variants_of_other_settings_do_not_count(settings: dict[str, Any]) -> None:
    base, more = experiment("paper"), table(**settings)
    claim = of(judged([(base, trainings(base, 28)), (more, trainings(more, 10))]), "R1", SUBJECT)
    assert (claim["verdict"], claim["variants"]) == ("open", 0)


def test_variants_with_few_seeds_do_not_count() -> None:
    base, more = experiment("paper"), table(seeds=9)
    claim = of(judged([(base, trainings(base, 28)), (more, trainings(more, 9))]), "R1", SUBJECT)
    assert (claim["verdict"], claim["variants"]) == ("open", 0)


def test_variants_agree_if_their_interval_says_the_same_and_others_are_named() -> None:
    base, more = experiment("paper"), table()
    successes = {**dict.fromkeys(VARIATIONS, 10), "gamma=0.9": 5, "load=1.2": 0}
    claim = of(
        judged([(base, trainings(base, 28)), (more, trainings(more, successes))]), "R1", SUBJECT
    )
    assert (claim["variants"], claim["variants_agreeing"]) == (
        len(VARIATIONS),
        len(VARIATIONS) - 2,
    )
    assert claim["note"].endswith(
        "Variants that disagree: gamma=0.9 (open), load=1.2 (not reproduced)."
    )
    assert "disagree" not in on_count(28)["note"]


def test_a_variant_of_two_experiments_counts_once_with_most_seeds() -> None:
    base, more = experiment("paper"), table()
    large = experiment("large", 30, variants=(RAW,))
    rows = [(large, trainings(large, 0)), (base, trainings(base, 28)), (more, trainings(more, 10))]
    claim = of(judged(rows), "R1", SUBJECT)
    assert (claim["variants"], claim["variants_agreeing"]) == (
        len(VARIATIONS),
        len(VARIATIONS) - 1,
    )
    assert claim["note"].endswith("Variants that disagree: scaling=raw (not reproduced).")


def test_a_variant_counts_however_it_is_written() -> None:
    base, more = experiment("paper"), table(variants=VARIATIONS[1:])
    written = experiment("written", 10, learning_rate=1e-4)
    assert VARIATIONS[0] == "learning_rate=0.0001"
    every = [(base, 28), (more, 10), (written, 10)]
    rows = judged([(one, trainings(one, n)) for one, n in every])
    claim = of([row for row in rows if row["experiment"] == "paper"], "R1", SUBJECT)
    assert (claim["verdict"], claim["variants"]) == ("reproduced", len(VARIATIONS))


def with_weights(left: Sequence[float | None], **settings: Any) -> Row:
    """R8 if the seeds of all trainings keep these shares of the weights of idle inputs."""
    every = [
        experiment("paper", rewards=REWARDS, **settings),
        table(rewards=REWARDS, **settings),
    ]
    idle = pd.concat([evaluations(one, left) for one in every])
    return of(judged([(one, trainings(one, 5)) for one in every], idle), "R8")


@pytest.mark.parametrize(
    ("near_zero", "verdict"), [(28, "reproduced"), (2, "not reproduced"), (15, "open")]
)
def test_weights_of_insignificant_inputs_are_judged_by_seed(near_zero: int, verdict: str) -> None:
    claim = with_weights([0.5] * near_zero + [0.9] * (30 - near_zero))
    assert (claim["verdict"], claim["value"]) == (verdict, near_zero / 30)
    assert claim["variants"] == claim["variants_agreeing"] == len(VARIATIONS)


def test_seeds_without_insignificant_inputs_do_not_count() -> None:
    claim = with_weights([0.1] * 10 + [None] * 20)
    assert (claim["seeds"], claim["value"], claim["verdict"]) == (10, 1.0, "open")


def test_weights_of_other_settings_say_nothing_about_the_claim() -> None:
    claim = with_weights([0.1] * 30, hidden=(8,))
    assert (claim["value"], claim["verdict"]) == (1.0, "open")


@cache
def with_raw(scaled: int, raw: int, raw_table: bool = True) -> list[Row]:
    """Scaled and raw metrics, of which so many of 30 seeds succeed, in variants a third of them."""
    every = [
        (experiment("paper", rewards=REWARDS), scaled),
        (experiment("raw", rewards=REWARDS, variants=(RAW,)), raw),
        (table(rewards=REWARDS), scaled // 3),
    ]
    if raw_table:
        raws = experiment("raws", 10, rewards=REWARDS, variants=RAW_VARIATIONS)
        every.append((raws, raw // 3))
    return [r for r in judged([(o, trainings(o, n)) for o, n in every]) if r["claim"] == "R9"]


def test_raw_metrics_need_a_sensitivity_table_of_their_own() -> None:
    for row in with_raw(30, 0, raw_table=False):
        assert (row["verdict"], row["variants"]) == ("open", 0)
        assert "No variants were trained" in row["note"]
    for row in with_raw(30, 0):
        assert row["verdict"] == "not reproduced"
        assert row["variants"] == row["variants_agreeing"] == len(VARIATIONS) - 1


def test_raw_metrics_have_a_difference_by_reward_and_a_share() -> None:
    rows = with_raw(30, 24)
    assert of(rows, "R9", "both, all")["value"] == 24 / 30
    assert of(rows, "R9", "both, weighted")["value"] == pytest.approx(24 / 30 - 1)
    assert of(rows, "R9", "both, weighted")["verdict"] == "not reproduced"


def test_if_both_fail_alike_that_says_nothing_about_normalization() -> None:
    assert {row["verdict"] for row in with_raw(2, 2)} == {"open"}


def test_experiments_without_raw_metrics_do_not_test_normalization() -> None:
    base = experiment("paper", rewards=REWARDS)
    note = of(judged([(base, trainings(base, 5))]), "R9")["note"]
    assert note == "Not tested: no experiment has the same settings with raw metrics."


def test_one_configuration_in_all_runs_is_counted() -> None:
    base = experiment("paper", rewards=REWARDS)
    row = of(judged([(base, trainings(base, 5))]), "R6")
    assert (row["value"], row["verdict"]) == (1.0, "by construction")


def test_the_objective_of_most_brokers_is_exact_and_without_the_way_there() -> None:
    base = experiment("paper")
    row = of(judged([(base, trainings(base, 5))]), "R10")
    assert row["value"] == pytest.approx(24.96, abs=0.01)
    assert row["measure"] == "% of intervals over 200 ms with 11 brokers throughout, exact"
    fewer = experiment("paper", max_brokers=9)
    row = of(judged([(fewer, trainings(fewer, 5))]), "R10")
    assert "with 9 brokers" in row["measure"]
    assert row["value"] > 80.0


def test_measured_latency_leaves_claims_open_and_was_calibrated_to_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = tuple(MeasuredRow(n, 1.0, 0, (90.0 / n,), ()) for n in range(3, 8))
    monkeypatch.setattr(measured_latencies, "ROWS", rows)
    base = experiment("measured", curve="measured", max_brokers=7, rewards=("count",))
    stored = judged([(base, trainings(base, 28))])
    one = of(stored, "R1", SUBJECT)
    assert one["verdict"] == "open"
    assert "latency as measured on Kafka brokers" in one["note"]
    calibrated = of(stored, "R10")
    assert calibrated["verdict"] == "open"
    assert calibrated["note"] == "Not tested: latency was measured on another cluster."


FEWEST_START: dict[str, Any] = {"start_brokers": 3}


def test_a_reading_of_the_paper_has_storedof_its_own() -> None:
    """The same claim is open with any start, and reproduced with the fewest brokers."""
    base, more = experiment("paper"), table()
    start = experiment("start", **FEWEST_START)
    beside = experiment("beside", 10, variants=VARIATIONS, **FEWEST_START)
    every = [(base, 17), (more, 5), (start, 30), (beside, 10)]
    rows = judged([(one, trainings(one, n)) for one, n in every])
    by_variant = {
        name: of([row for row in rows if row["experiment"] == name], "R1", SUBJECT)
        for name in ("paper", "start")
    }
    assert [by_variant[name]["verdict"] for name in ("paper", "start")] == ["open", "reproduced"]
    assert "episodes that start with any number of brokers." in by_variant["paper"]["note"]
    assert "episodes that start with the fewest brokers, 3." in by_variant["start"]["note"]
    assert all(one["variants"] == len(VARIATIONS) for one in by_variant.values())


def test_a_reading_needs_a_table_of_its_own() -> None:
    start, more = experiment("start", **FEWEST_START), table()
    rows = judged([(start, trainings(start, 30)), (more, trainings(more, 10))])
    claim = of([row for row in rows if row["experiment"] == "start"], "R1", SUBJECT)
    assert (claim["verdict"], claim["variants"]) == ("open", 0)


def test_other_settings_stay_open_and_are_named() -> None:
    """Settings under which agents learn say nothing about the printed ones."""
    settings = BUDGETS["ordinary"] | {"rewards": ("weighted",)}
    ordinary = experiment("ordinary", **settings)
    claim = of(judged([(ordinary, trainings(ordinary, 23))]), "R3", "dqn, weighted")
    assert (claim["verdict"], claim["value"]) == ("open", 23 / 30)
    assert "Other settings than the paper's: episodes 100 (printed 10)" in claim["note"]
    assert "optimizer adam (printed rmsprop)" in claim["note"]
    assert "printed settings" not in claim["note"]


def test_presets_declare_what_storedneed() -> None:
    start = CLAIMS["start"]
    assert (start["start_brokers"], start["seeds"]) == (3, 30)
    assert CLAIMS["start-sensitivity"]["variants"] == VARIATIONS
    assert CLAIMS["start-sensitivity"]["start_brokers"] == 3
    assert PAPER["ordinary"] == {"seeds": 30, "rewards": ("weighted",), **BUDGETS["ordinary"]}
    for presets in (CLAIMS, PAPER):
        assert presets["sensitivity"]["variants"] == VARIATIONS
        assert presets["sensitivity"]["seeds"] >= 10
    assert PAPER["raw-sensitivity"]["variants"] == RAW_VARIATIONS
