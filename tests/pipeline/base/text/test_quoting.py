"""Messages quote nothing that could be a secret, from any file that a user names."""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.base.errors import InputError
from pipeline.base.text import quoting
from pipeline.settings.load import resolve

pytestmark = pytest.mark.unit

LONGEST = 11
"""A piece of a secret that is longer would be seen."""

KEYS = st.from_regex(r"[A-Z][A-Za-z0-9]{11,60}[g-z]", fullmatch=True)
PHRASES = st.lists(st.sampled_from(["correct", "horse", "battery", "staple"]), min_size=4).map(
    "-".join
)
# Hypothesis also tries words of the code, which messages may have.
ANY = st.text(
    st.characters(codec="utf-8", categories=["L", "P", "S"], min_codepoint=33), min_size=12
).filter(lambda secret: not re.fullmatch("[a-z]+", secret))
SECRETS = KEYS | PHRASES | ANY


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("named")


def said(file: Path, as_config: bool) -> str:
    """All text that a log would have on a refused file: the message and its causes."""
    with pytest.raises(InputError) as caught:
        resolve(None, file if as_config else None, [], [] if as_config else [file])
    assert str(caught.value).startswith(str(file))
    assert "\n" not in str(caught.value)
    lines = traceback.format_exception(caught.value)
    return "".join([str(caught.value), *lines]).replace(str(file), "")


def check(text: str, secret: str) -> None:
    pieces = {secret[i : i + LONGEST + 1] for i in range(len(secret) - LONGEST)}
    assert [piece for piece in pieces if piece in text] == []


FOREIGN = [
    "{0}",
    "root:{0}:19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\n",
    "-----BEGIN OPENSSH PRIVATE KEY-----\n{0}\n-----END OPENSSH PRIVATE KEY-----\n",
    "DB_PASSWORD={0}\nTOKEN={0}\n",
    "password: {0}\n",
    "password: '{0}'\n",
    "apiVersion: v1\ndata:\n  token: {0}\n",
    '{{"token": "{0}"}}',
    '{{"{0}": 1, "{0}": 2}}',
    '[{{"user": "me", "password": "{0}"}}]',
    '["{0}"]',
    "user,password\nme,{0}\n",
    "{0},{0}\n1,2\n",
    "me;{0}\n",
    "me\t{0}\n",
    "0.5,{0}\n",
    '"{0}\n',
    "- {0}\n",
    "*{0}\n",
    "!{0} x\n",
    "%TAG {0}\n",
    "[default]\naws_secret_access_key = {0}\n",
]


@given(form=st.sampled_from(FOREIGN), secret=SECRETS)
def test_other_files_are_not_quoted(folder: Path, form: str, secret: str) -> None:
    for name in ("t.csv", "t.json", "t.parquet", "t"):
        file = folder / name
        file.write_text(form.format(secret))
        for as_config in (False, True):
            check(said(file, as_config), secret)


TRACES = [
    "timestamp,partition,rate\n{0},a,1\n",
    "timestamp,partition,rate\n1,a,1\n{0},a,1\n",
    "timestamp,partition,rate\n2024-01-01,a,1\n{0},a,1\n",
    "iteration,partition,rate\n1,a,{0}\n",
    "iteration,partition,rate\n1,a,1\n1,{0}\n",
    "iteration,a\n1,{0}\n",
    "iteration,a\n{0},1\n",
    "iteration,a\n1,1,{0}\n",
    'iteration,a\n1,"{0}"x\n',
]
NAMED = [
    "iteration,partition,rate,{0}\n1,a,1,1\n",
    "timestamp,{0}\n1,x\n",
    "timestamp,{0},{0}\n1,x\n",
    "iteration,partition,rate\n1,{0},1\n1,{0},1\n",
    '[{{"t": {{"{0}": -1}}}}]',
    '[{{"{0}": {{"a": "x"}}}}]',
    '[{{"{0}": 5}}]',
]


@given(form=st.sampled_from(TRACES), secret=SECRETS)
def test_cells_are_not_quoted(folder: Path, form: str, secret: str) -> None:
    file = folder / "t.csv"
    file.write_text(form.format(secret.replace('"', "'")))
    check(said(file, as_config=False), secret)


@given(form=st.sampled_from(NAMED), secret=KEYS)
def test_names_are_not_quoted_that_could_be_keys(folder: Path, form: str, secret: str) -> None:
    file = folder / "t.csv"
    file.write_text(form.format(secret))
    check(said(file, as_config=False), secret)


CONFIGS = [
    "{0}: 1\n",
    "seed: {0}\n",
    "clip: {0}\n",
    "deltas: [{0}]\n",
    "initial_rates: {0}\n",
    "algorithms: [{0}]\n",
    "algorithms: kd_1..{0}\n",
    "algorithms: [MWF, {0}, {0}]\n",
    "bound_algorithms: [{0}]\n",
    "preset: {0}\n",
    "experiments: {0}\n",
    "experiments: {{{0}: 5}}\n",
    "experiments: {{{0}: {{seed: 5}}}}\n",
    "experiments: {{{0}: {{capacity: 500}}}}\n",
    "experiments: {{a: {{{0}: 5}}}}\n",
    "capacity: {{{0}: {0}}}\n",
]


@given(form=st.sampled_from(CONFIGS), secret=KEYS)
def test_settings_are_not_quoted(folder: Path, form: str, secret: str) -> None:
    file = folder / "c.yaml"
    file.write_text(form.format(secret))
    check(said(file, as_config=True), secret)


def columns(**changes: object) -> dict[str, object]:
    return {"iteration": [1], "partition": ["a"], "rate": [1.0]} | changes


PARQUET: list[Callable[[str], dict[str, object]]] = [
    lambda secret: {secret: [1]},
    lambda secret: columns(**{secret: [1]}),
    lambda secret: columns(partition=[{secret: 1}]),
    lambda secret: columns(rate=[secret]),
    lambda secret: columns(iteration=[secret]),
    lambda secret: columns(partition=pa.array([0], pa.timestamp("s", tz=f"+00:00{secret}"))),
    lambda secret: columns(iteration=[1, 1], partition=[secret, secret], rate=[1.0, 2.0]),
]


@pytest.mark.slow
@given(form=st.sampled_from(PARQUET), secret=KEYS)
def test_parquet_is_not_quoted(
    folder: Path, form: Callable[[str], dict[str, object]], secret: str
) -> None:
    file = folder / "t.parquet"
    pq.write_table(pa.table(form(secret)), file)
    check(said(file, as_config=False), secret)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (5, "5"),
        (-1.5e-9, "-1.5e-09"),
        (10**400, "a number with 401 digits"),
        ("", "''"),
        ("-1", "'-1'"),
        ("1,5", "'1,5'"),
        ("nan", "'nan'"),
        ("-Infinity", "'-Infinity'"),
        ("2024-05-01T12:00:30Z", "'2024-05-01T12:00:30Z'"),
        ("hunter2", "a text of 7 characters"),
        ("1" * 41, "a text of 41 characters"),
        ("a\x1b[31m", "a text of 6 characters"),
        ([1, 2], "a list of length 2"),
        ({"a": 1}, "a mapping of length 1"),
    ],
)
def test_values_are_shown_or_described(value: object, words: str) -> None:
    assert quoting.shown(value) == words


@pytest.mark.parametrize("name", ["a", "orders.v1-eu/12", "my topic", "kd_1..kd_8", "größe"])
def test_names_are_shown(name: str) -> None:
    assert quoting.named(name) == repr(name)


@pytest.mark.parametrize(
    "name", ["AKIAIOSFODNN7EXAMPLE", "a" * 12, "a-" * 21 + "a", "a\nb", "$6$x"]
)
def test_names_that_could_be_keys_are_described(name: str) -> None:
    assert quoting.named(name).startswith("a text of")


def test_a_header_is_shown_if_it_looks_like_one() -> None:
    known = ("timestamp", "rate")
    assert quoting.header(["Timestamp", "speed"], known) == "columns Timestamp, speed"
    assert quoting.header(["me", "hunter2"], known) == "2 columns"
    assert quoting.header(["hunter2"], known) == "one column"
    assert quoting.header(["rate", *"abcdefghijklm"], known) == "14 columns"


def test_a_key_is_shown_if_it_is_nearly_a_known_one() -> None:
    assert quoting.key("partition", ["partitions"]) == "key 'partition'"
    assert quoting.key("hunter2", ["partitions"]) == "key"


def test_json_is_told_without_its_content(tmp_path: Path) -> None:
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"seed": 1}) + " x")
    assert said(file, as_config=True).startswith(":1: not valid JSON (Extra data)")
