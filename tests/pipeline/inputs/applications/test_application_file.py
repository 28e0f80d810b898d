"""Files of applications, and the texts that stand for applications and policies."""

from __future__ import annotations

from pathlib import Path

import pytest

from algorithms.core.input_errors import InvalidParameterError
from algorithms.simulation.application_graph import check_application
from algorithms.simulation.application_policies import POLICIES
from algorithms.workloads.image_application import image_application
from pipeline.base.errors import InputError
from pipeline.inputs.applications import application_file, application_text, policy_names
from pipeline.inputs.applications.policy_names import COMPARED
from tests.pipeline.cli.application_message_cases import FILES, GOOD
from tools.layout import here

pytestmark = pytest.mark.unit

EXAMPLE = here().root / "docs" / "examples" / "images-application.yaml"


def written(folder: Path, text: str) -> Path:
    file = folder / "app.yaml"
    file.write_text(text)
    return file


def test_the_example_is_the_application_of_the_paper() -> None:
    file = application_file.read(EXAMPLE)
    assert file.application.checked == check_application(*image_application())
    assert file.settings.r_max == 1.0


@pytest.mark.parametrize("name", FILES)
def test_a_wrong_file_is_one_line_that_names_it(name: str, tmp_path: Path) -> None:
    file = written(tmp_path, FILES[name])
    with pytest.raises(InputError) as caught:
        application_file.read(file)
    message = str(caught.value)
    assert message.startswith(str(file))
    assert "\n" not in message
    assert "must" in message or "unknown" in message or "not valid YAML" in message


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("an unknown function", 4),
        ("a cycle", 4),
        ("a function without events", 3),
        ("no source", 6),
        ("an unknown key", 8),
        ("a function without a speed", 3),
        ("a negative rate", 7),
        ("a setting out of range", 9),
    ],
)
def test_the_line_of_a_mistake(name: str, line: int, tmp_path: Path) -> None:
    file = written(tmp_path, FILES[name])
    with pytest.raises(InputError) as caught:
        application_file.read(file)
    assert str(caught.value).startswith(f"{file}:{line}: ")


def test_options_take_precedence(tmp_path: Path) -> None:
    file = written(tmp_path, GOOD)
    said = application_file.read(file, ["ds2"], application_file.from_options(["r_max=3"]))
    assert [policy.label for policy in said.policies] == ["ds2"]
    assert said.settings.r_max == 3.0
    assert application_file.read(file).settings.r_max == 2.0


def test_policies_and_edges_can_be_left_out(tmp_path: Path) -> None:
    file = written(tmp_path, "functions: {a: {mu: 1}}\nsources: {a: [[60, 0.5]]}\n")
    said = application_file.read(file)
    assert [policy.label for policy in said.policies] == list(COMPARED)
    assert said.application.checked.paths == (("a",),)


def test_a_description_is_read_again() -> None:
    described = application_text.parse(application_text.IMAGES)
    assert application_text.parse(described.text) == described


@pytest.mark.parametrize("text", ["", "movies", "[1]", "5", '{"functions": 5}', '{"a": 1}'])
def test_other_texts_describe_nothing(text: str) -> None:
    with pytest.raises(InvalidParameterError):
        application_text.parse(text)


def test_a_policy_has_one_spelling() -> None:
    (one,) = policy_names.parse(["queueing_paths:alpha=0.50:k_max=5"])
    assert one.label == "queueing_paths:alpha=0.5:k_max=5"
    assert one.arguments == {"alpha": 0.5, "k_max": 5}
    assert policy_names.parse([one.label]) == [one]


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_can_be_named(name: str) -> None:
    application = application_text.parse(application_text.IMAGES).checked
    policy_names.check(policy_names.parse([name]), application, 1.0)


@pytest.mark.parametrize(
    "texts",
    [
        *([], ["foo"], [5], ["ds2", "ds2"], ["queueing_paths:alpha=x"], ["ds2:k_max"]),
        *(["ds2:k_max=5:k_max=6"], ["queueing_paths:alpha=0.5", "queueing_paths:alpha=.50"]),
    ],
)
def test_wrong_policies(texts: list[object]) -> None:
    with pytest.raises(InvalidParameterError, match=r"^policies"):
        policy_names.parse(texts)
