"""Options of ``groupscale live …`` that are refused before a broker is asked."""

from __future__ import annotations

import pytest

from tests.pipeline.cli.command import Home, call

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--period", "0.1"], "`--period` must be between 0.2 and 3,600 s (got 0.1)"),
        (["--seconds", "0.5"], "`--seconds` must be between 1 and 1,000,000 s (got 0.5)"),
        (["--seconds", "nan"], "`--seconds` must be between 1 and 1,000,000 s (got nan)"),
        (["--bootstrap", "nowhere"], "`--bootstrap` must be HOST:PORT"),
        (["--config", "none"], "none: not found"),
    ],
)
def test_what_record_refuses(home: Home, words: list[str], message: str) -> None:
    result = call(
        *("live", "record", "--topic", "t", "-o", home.root / "r.csv"),
        *("--bootstrap", "127.0.0.1:1", *words),
    )
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr
    assert home.tree() == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--period", "0.5"], "`--period` must be between 1 and 15 s (got 0.5)"),
        (["--capacity", "-1"], "`--capacity` must be finite and above 0 (got -1)"),
        (["--capacity", "2mb"], "--capacity must be a number with an optional unit, such as"),
        (["--mu", "many"], "--mu must be a number with an optional unit, such as"),
        (["--capacity", "1MB", "--mu", "5k/s"], "not both"),
        (["--strategy", "MWF,nix"], "--strategy nix: unknown algorithm 'nix'"),
        (["--bootstrap", "a b:1"], "`--bootstrap` must be HOST:PORT"),
    ],
)
def test_what_watch_refuses(home: Home, words: list[str], message: str) -> None:
    result = call("live", "watch", "--topic", "t", "--bootstrap", "127.0.0.1:1", *words)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert message in result.stderr
