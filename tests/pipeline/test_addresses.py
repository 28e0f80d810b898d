"""Addresses without passwords."""

from __future__ import annotations

import pytest

from pipeline import addresses

pytestmark = pytest.mark.unit

CASES = [
    ("http://127.0.0.1:5000", "http://127.0.0.1:5000"),
    ("http://127.0.0.1:5000/#/experiments/1", "http://127.0.0.1:5000/#/experiments/1"),
    ("https://me:p@ss@tracker", "https://tracker"),
    ("https://me:p@ss@tracker:5000/path", "https://tracker:5000/path"),
    ("https://me@work:secret@tracker", "https://tracker"),
    ("https://me:@tracker", "https://tracker"),
    ("https://:token@tracker", "https://tracker"),
    # What comes before the last at sign may be a password.
    ("https://me:p@ss@tracker/a@b", "https://b"),
    ("sqlite:////home/me/mlflow.db", "sqlite:////home/me/mlflow.db"),
    ("postgresql://me:secret@127.0.0.1:5432/mlflow", "postgresql://127.0.0.1:5432/mlflow"),
    ("s3a://key:se/cret@bucket/runs", "s3a://bucket/runs"),
    ("s3a://key:p@ss@bucket", "s3a://bucket"),
    ("s3a://key:p@/ss@bucket", "s3a://bucket"),
    ("s3a://key:secret@bucket/tables/runs", "s3a://bucket/tables/runs"),
    ("s3a://bucket/a@b", "s3a://bucket/a@b"),
    ("/home/me@work/warehouse/runs", "/home/me@work/warehouse/runs"),
    (
        "no answer from 'http://me:secret@one/x', nor from http://two:5000 (ask me@work)",
        "no answer from 'http://one/x', nor from http://two:5000 (ask me@work)",
    ),
    ('{"uri":"http://one:5000","owner":"me@work"}', '{"uri":"http://one:5000","owner":"me@work"}'),
]


@pytest.mark.parametrize(("text", "shown"), CASES)
def test_passwords_are_not_shown(text: str, shown: str) -> None:
    assert addresses.shown(text) == shown
    assert addresses.without_password(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("abfss://container@account.net/runs", "abfss://account.net/runs"),
        ("https://token@tracker/a@b", "https://tracker/a@b"),
    ],
)
def test_a_name_alone_is_a_secret_or_a_container(text: str, shown: str) -> None:
    assert addresses.shown(text) == shown
    assert addresses.without_password(text) == text


def test_passwords_can_be_told_to_whoever_hides_them() -> None:
    found = addresses.passwords("s3a://key:se%2Fcret@bucket", "http://host:5000", "")
    assert found == {"se%2Fcret", "se/cret"}
