"""Shells complete commands, options, names, ids of runs and keys of settings."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest
import typer

from pipeline.cli.commands import completion

pytestmark = pytest.mark.unit

PROGRAM = Path(sys.executable).with_name("groupscale")

needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="groupscale is not installed")

CASES = [
    (("pre",), "presets"),
    (("run", "--pres"), "--preset"),
    (("run", "--preset", "smo"), "smoke"),
    (("simulate", "waves.csv", "--strategy", "linear,keda_h"), "linear,keda_hpa"),
    (("simulate", "waves.csv", "--set", "heartbeat_"), "heartbeat_s="),
    (("run", "--preset", "autoscaling", "--set", "heartbeat_"), "heartbeat_s="),
    (("live", "manifests", "night", "--strategy", "MWFP"), "MWFP"),
    (("live", "watc"), "watch"),
]


@pytest.mark.slow
@needs_program
@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(("words", "completed"), CASES)
def test_bash_completes(words: tuple[str, ...], completed: str) -> None:
    script = (
        'source <(_GROUPSCALE_COMPLETE=source_bash groupscale); COMP_WORDS=(groupscale "$@"); '
        'COMP_CWORD=$#; _groupscale_completion groupscale; echo "${COMPREPLY[@]}"'
    )
    assert _said("bash", "-c", script, "bash", *words) == [completed]


def test_ids_of_runs_are_completed_the_newest_first(tmp_path: Path) -> None:
    for run_id in ("20260731T214500Z-3fa9c1", "20260801T214500Z-3fa9c1", "mine"):
        (tmp_path / "reports" / run_id).mkdir(parents=True)
    context = typer.Context(click.Command("report"))
    context.params = {"warehouse": tmp_path}
    assert completion.runs(context, "2026")[0] == "20260801T214500Z-3fa9c1"
    assert completion.runs(context, "m") == ["mine"]
    context.params = {"warehouse": tmp_path / "none"}
    assert completion.runs(context, "") == []


def test_unknown_presets_have_no_keys() -> None:
    context = typer.Context(click.Command("run"))
    context.params = {"preset": "smok"}
    assert completion.run_keys(context, "") == []


@pytest.mark.slow
@needs_program
def test_zsh_is_offered_it() -> None:
    """As zsh calls the program; zsh itself is not needed."""
    words, completed = CASES[-1]
    answer = _said(
        str(PROGRAM),
        _GROUPSCALE_COMPLETE="complete_zsh",
        _TYPER_COMPLETE_ARGS=" ".join(["groupscale", *words]),
    )
    assert f'"{completed}"' in " ".join(answer)


def _said(*command: str, **variables: str) -> list[str]:
    path = os.pathsep.join([str(PROGRAM.parent), os.environ["PATH"]])
    env = os.environ | {"PATH": path} | variables
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=True)
    return done.stdout.split()
