"""Changes for the checks of a single row of the tables of learning agents."""

from __future__ import annotations

from tests.schemas.changes import Changes

CHANGES: dict[str, dict[str, Changes]] = {
    "evaluations": {
        "agents_have_seeds": Changes(
            [
                *({"policy": "static_3", "seed": 0}, {"policy": "double_dqn"}),
                *({"policy": "q_table"}, {"policy": "q_table", "seed": 0}),
            ],
            [{"policy": "static_3"}, {"seed": 0}],
        ),
    },
    "group_evaluations": {
        "agents_have_seeds": Changes(
            [{"policy": "double_dqn"}, {"policy": "linear", "seed": 0}],
            [{"policy": "linear"}, {"seed": 0}],
        ),
        "clairvoyant_has_bound": Changes(
            [{"policy": "clairvoyant", "seed": 0, "lower": 1.0}],
            [{"lower": 1.0}, {"policy": "clairvoyant", "seed": 0}],
        ),
        "blocks_match": Changes(
            [{"block_paid_s": [1.0], "block_late": [0.0]}], [{"block_late": [0.0]}]
        ),
        "late_are_events": Changes([{"late": 24_000.0}], [{"late": 24_001.0}]),
        "changes_add_up": Changes(
            [{"n_up": 2, "n_down": 0}, {"n_up": None}], [{"n_up": 2}, {"changes": 3}]
        ),
    },
    "group_scores": {
        "regrets_ordered": Changes(
            [{"regret_low": 0.1, "regret_high": 0.3}],
            [{"regret_low": 0.3}, {"regret_high": 0.2}, {"best": 0.3}, {"worst": 0.2}],
        ),
        "agents_have_shares": Changes(
            [{"policy": "ds2", "share": None}],
            [{"policy": "ds2"}, {"share": None}, {"share_low": 0.6}, {"share_high": 0.4}],
        ),
    },
    "group_fronts": {
        "area_within_interval": Changes(
            [{"hypervolume_low": 0.25, "hypervolume_high": 0.75}],
            [{"hypervolume_low": 0.6}, {"hypervolume_high": 0.4}],
        ),
    },
    "learning_scores": {
        "share_of_seeds": Changes(
            [{"successes": 2, "share": 1.0, "share_low": 0.16, "share_high": 1.0}],
            [{"successes": 2}, {"share_low": 0.6}, {"share_high": 0.4}],
        ),
        "scores_ordered": Changes(
            [{"worst": 0.75}, {"best": 0.75}], [{"worst": 0.8}, {"best": 0.7}]
        ),
    },
    "learning_verdicts": {
        "enough_seeds": Changes(
            [{"verdict": "reproduced", "seeds": 30, "variants": 34}],
            [
                {"verdict": "reproduced", "variants": 34},
                {"verdict": "not reproduced", "seeds": 29, "variants": 34},
            ],
        ),
        "whole_sensitivity_table": Changes(
            [
                {"verdict": "reproduced", "seeds": 30, "variants": 34},
                {"claim": "R9", "verdict": "not reproduced", "seeds": 30, "variants": 33},
                {"variants": 33},
            ],
            [
                {"verdict": "not reproduced", "seeds": 30, "variants": 33},
                {"claim": "R9", "verdict": "reproduced", "seeds": 30, "variants": 32},
            ],
        ),
        "interval_around_value": Changes(
            [{"low": None, "high": None}, {"low": None, "high": None, "value": None}],
            [{"low": None}, {"value": None}, {"low": 0.6}, {"high": 0.4}],
        ),
        "variants_counted": Changes(
            [{"variants": 1, "variants_agreeing": 1}], [{"variants_agreeing": 1}]
        ),
    },
}
