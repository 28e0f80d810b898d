"""Broken files of the services' state end commands with one line that names file and remedy."""

import pytest

from tools.console import SetupError
from tools.services import credentials, lifecycle, records

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("content", ["", "{", "[]", "\0" * 10, "{}", '{"leader": {"pid": 1}}'])
def test_a_broken_record_is_named_with_the_way_out(layout, content):
    file = layout.services / "running" / "mlflow.json"
    file.parent.mkdir(parents=True)
    file.write_text(content)
    for command in (lifecycle.status, lifecycle.down, records.load):
        with pytest.raises(SetupError) as caught:
            command(layout)
        assert str(caught.value).startswith(str(file))
        assert "end mlflow if it still runs" in str(caught.value)
        assert "\n" not in str(caught.value)
    file.unlink()
    assert records.load(layout) == {}


@pytest.mark.parametrize(("content", "what"), [("", "is empty"), ('{"a', "is not complete")])
def test_broken_secrets_are_not_replaced(layout, content, what):
    file = layout.services / "secrets.json"
    file.parent.mkdir(parents=True)
    file.write_text(content)
    with pytest.raises(SetupError, match=f"secrets.json {what}; restore it from a backup"):
        credentials.ensure(layout)
    assert file.read_text() == content
