"""Addresses without passwords."""

from __future__ import annotations

import pytest

from pipeline import addresses


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("http://127.0.0.1:5000", "http://127.0.0.1:5000"),
        ("https://me:p@ss@tracker/a@b", "https://tracker/a@b"),
        ("sqlite:////home/me/mlflow.db", "sqlite:////home/me/mlflow.db"),
        ("postgresql://me:secret@127.0.0.1:5432/mlflow", "postgresql://127.0.0.1:5432/mlflow"),
    ],
)
def test_an_address_is_shown_without_its_password(uri: str, shown: str) -> None:
    assert addresses.shown(uri) == shown


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("s3a://key:se/cret@bucket/runs", "s3a://bucket/runs"),
        ("s3a://key:secret@bucket/tables/runs", "s3a://bucket/tables/runs"),
        ("abfss://container@account.net/runs", "abfss://container@account.net/runs"),
        ("s3a://bucket/a@b", "s3a://bucket/a@b"),
        ("/home/me@work/warehouse/runs", "/home/me@work/warehouse/runs"),
    ],
)
def test_passwords_are_not_shown(place: str, shown: str) -> None:
    assert addresses.without_password(place) == shown
