"""Shells complete commands, options and presets."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.unit

PROGRAM = Path(sys.executable).with_name("groupscale")

needs_program = pytest.mark.skipif(not PROGRAM.exists(), reason="groupscale is not installed")

CASES = [
    (("pre",), "presets"),
    (("run", "--pres"), "--preset"),
    (("run", "--preset", "smo"), "smoke"),
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
