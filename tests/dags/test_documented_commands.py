"""Commands of Airflow that the documentation gives have options that Airflow knows."""

import json
import shlex

import pytest

from tests import guides

pytestmark = pytest.mark.airflow

OURS = [
    words[2:]
    for example in (*guides.examples(), *guides.inline())
    for words in guides.commands(example)
    if words[:2] == ["groupscale", "airflow"] and words[2:] != ["…"]
]
POOL = [
    shlex.split(example.code)[1:]
    for example in guides.examples()
    if example.code.startswith("airflow ")
]


def test_commands_are_seen():
    assert len(OURS) > 4
    assert len(POOL) == 1


def test_airflow_knows_the_options():
    from airflow.cli import cli_parser

    parser = cli_parser.get_parser()
    for words in OURS + POOL:
        assert parser.parse_args(words).func


def test_triggers_have_parameters_of_the_dag():
    from airflow.sdk.definitions.param import ParamsDict

    from pipeline.orchestration.params import params

    (words,) = [words for words in OURS if words[:2] == ["dags", "trigger"]]
    assert words[2] == "benchmark"
    parameters = ParamsDict(params("paper"))
    conf = json.loads(words[words.index("--conf") + 1])
    assert parameters.keys() >= conf.keys()
    parameters.update(conf)
    assert parameters.validate() | conf == parameters.validate()
