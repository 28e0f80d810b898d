"""Changes for the checks of a single row of the tables of learning agents."""

from __future__ import annotations

from tests.schemas.changes import Changes

CHANGES: dict[str, dict[str, Changes]] = {
    "evaluations": {
        "agents_have_seeds": Changes(
            [{"policy": "static_3", "seed": 0}, {"policy": "double_dqn"}],
            [{"policy": "static_3"}, {"seed": 0}],
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
            [{"verdict": "reproduced", "seeds": 30}],
            [{"verdict": "reproduced"}, {"verdict": "not reproduced", "seeds": 29}],
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
