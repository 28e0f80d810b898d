"""Addresses without passwords."""

from __future__ import annotations

import time

import pytest

from pipeline.base.text import addresses

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
    ("https://host/?password=secret&page=2", "https://host/?password=***&page=2"),
    ("https://host/a?b=1&Access_Token=se.cr-et/", "https://host/a?b=1&Access_Token=***"),
    ("https://x.blob/c?sv=2024&sig=ab%2Fc%3D&se=9", "https://x.blob/c?sv=2024&sig=***&se=9"),
    ("s3://bucket/runs?X-Amz-Signature=abc#part", "s3://bucket/runs?X-Amz-Signature=***#part"),
    ("s3://bucket?access-key=a&secret.key=b", "s3://bucket?access-key=***&secret.key=***"),
    ("postgresql://host/db?user=me&pass%77ord=x", "postgresql://host/db?user=me&pass%77ord=***"),
    ("postgresql://me:a@host/db?sslpassword=b", "postgresql://host/db?sslpassword=***"),
    (
        "jdbc:sqlserver://host;user=me;password=x;a=b",
        "jdbc:sqlserver://host;user=me;password=***;a=b",
    ),
    ("AccountName=me;AccountKey=abc==;a=b", "AccountName=me;AccountKey=***;a=b"),
    ("<a href='http://host/?a=1&amp;token=x'>", "<a href='http://host/?a=1&amp;token=***'>"),
    ("no answer from '/api?token=x' (at 5)", "no answer from '/api?token=***' (at 5)"),
    ("https://host/?page_token=x&keyword=y", "https://host/?page_token=***&keyword=y"),
    ("https://host/?monkeys=3&author=me", "https://host/?monkeys=3&author=me"),
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
    passwords = addresses.passwords("s3a://key:se%2Fcret@bucket", "http://host:5000", "")
    assert passwords == {"se%2Fcret", "se/cret"}
    assert addresses.passwords("https://host/?sig=a%2Fb&page=2") == {"a%2Fb", "a/b"}


@pytest.mark.parametrize(
    "unit", ["://:", "://a:", "://@", "?a", "?", "&token=", "?key&key", "=", "://a:b@", ";x=@:"]
)
def test_long_texts_take_no_longer_than_they_are_long(unit: str) -> None:
    """A text of ten times the length must not take a hundred times as long."""
    began = time.perf_counter()
    addresses.shown(unit * 200_000)
    addresses.passwords(unit * 200_000)
    assert time.perf_counter() - began < 5
