"""Prometheus' own engine on made-up samples: ``promtool test rules``."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.pipeline.inputs.prometheus import real_prometheus


def find() -> Path | None:
    """Path of the program, which is installed beside Prometheus; None where there is none."""
    program = real_prometheus.find()
    tool = None if program is None else Path(program).with_name("promtool")
    return tool if tool is not None and tool.is_file() else None


def refuted(
    tool: Path,
    folder: Path,
    series: Mapping[str, str],
    expected: Iterable[tuple[str, int, float | None]],
    interval_s: int,
) -> str:
    """What expressions give else than is expected; empty if nothing.

    series: Samples by series, in promtool's notation, one each `interval_s`.
    expected: Expression, time in seconds, and its only value; None for no result.
    """
    content: dict[str, Any] = {
        "evaluation_interval": f"{interval_s}s",
        "tests": [
            {
                "interval": f"{interval_s}s",
                "input_series": [{"series": k, "values": v} for k, v in series.items()],
                "promql_expr_test": [
                    {
                        "expr": expression,
                        "eval_time": f"{time_s}s",
                        "exp_samples": [] if value is None else [{"labels": "{}", "value": value}],
                    }
                    for expression, time_s, value in expected
                ],
            }
        ],
    }
    file = folder / "test.yml"
    file.write_text(json.dumps(content))
    done = subprocess.run([tool, "test", "rules", file], capture_output=True, text=True, timeout=60)
    return "" if done.returncode == 0 else done.stdout + done.stderr
