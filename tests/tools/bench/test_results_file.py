"""The file of results grows key by key."""

import json

import pytest

from tools.bench import results_file

pytestmark = pytest.mark.unit


def test_parts_are_merged_into_the_file(tmp_path):
    file = tmp_path / "build" / "bench.json"
    results_file.update(file, {"kernels": [{"partitions": 32}], "exponents": {}})
    results_file.update(file, {"end_to_end": {"seconds": 1.5}})
    results_file.update(file, {"exponents": {"NF": 1.0}})
    assert json.loads(file.read_text()) == {
        "kernels": [{"partitions": 32}],
        "exponents": {"NF": 1.0},
        "end_to_end": {"seconds": 1.5},
    }
    assert [path.name for path in file.parent.iterdir()] == ["bench.json"]


@pytest.mark.parametrize("text", ["", "{", "[1]", "null"])
def test_what_is_no_object_is_written_anew(tmp_path, text):
    file = tmp_path / "bench.json"
    file.write_text(text)
    results_file.update(file, {"kernels": []})
    assert json.loads(file.read_text()) == {"kernels": []}


def test_a_number_that_json_does_not_have_is_refused(tmp_path):
    """And the file stays as it was."""
    file = tmp_path / "bench.json"
    results_file.update(file, {"kernels": []})
    with pytest.raises(ValueError, match="JSON"):
        results_file.update(file, {"exponents": {"NF": float("nan")}})
    assert json.loads(file.read_text()) == {"kernels": []}
