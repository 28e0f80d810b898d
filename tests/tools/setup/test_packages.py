"""pip's settings reach uv."""

import pytest

from tools.setup import packages

pytestmark = pytest.mark.unit

CONFIG = """\
:env:.cert='/env/ca.pem'
:env:.find-links='/nowhere/at/all'
global.cert='/file/ca.pem'
global.extra-index-url='\\nhttps://one.example\\nhttps://two.example'
global.timeout='30'
install.timeout='60'
"""


def test_a_variable_wins_over_the_command_and_that_over_the_rest():
    settings = packages.parse(CONFIG)
    assert settings["cert"] == "/env/ca.pem"
    assert settings["timeout"] == "60"


def test_lines_that_are_no_settings_are_overlooked():
    assert packages.parse("WARNING: something\n\nglobal.proxy='http://p:1'\n") == {
        "proxy": "http://p:1"
    }


def test_settings_are_translated():
    variables = packages.translated(packages.parse(CONFIG), {})
    assert variables == {
        "UV_INDEX": "https://one.example https://two.example",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_HTTP_TIMEOUT": "60",
        "SSL_CERT_FILE": "/env/ca.pem",
    }


def test_nothing_set_gives_nothing():
    assert packages.translated({}, {}) == {}


@pytest.mark.parametrize("name", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"])
def test_certificates_of_other_tools_are_used(name):
    assert packages.translated({}, {name: "/ca.pem"}) == {"SSL_CERT_FILE": "/ca.pem"}


def test_pips_own_certificates_come_first():
    variables = packages.translated({"cert": "/pip.pem"}, {"REQUESTS_CA_BUNDLE": "/other.pem"})
    assert variables == {"SSL_CERT_FILE": "/pip.pem"}


def test_folders_that_exist_and_addresses_are_kept_as_links(tmp_path):
    links = f"{tmp_path} /nowhere/at/all https://files.example/wheels"
    variables = packages.translated({"find-links": links}, {})
    assert variables == {"UV_FIND_LINKS": f"{tmp_path},https://files.example/wheels"}


def test_a_package_index_and_a_trusted_host_are_kept():
    variables = packages.translated({"index-url": "https://i.example", "trusted-host": "a\nb"}, {})
    assert variables == {"UV_DEFAULT_INDEX": "https://i.example", "UV_INSECURE_HOST": "a b"}


def test_uv_gets_the_users_own_settings_last(layout, program, monkeypatch):
    program(layout.python, "echo \"global.timeout='5'\"")
    monkeypatch.setenv("UV_HTTP_TIMEOUT", "99")
    monkeypatch.setenv("PYTHONPATH", "/somewhere")
    env = packages.uv_environment(layout)
    assert env["UV_HTTP_TIMEOUT"] == "99"
    assert env["UV_CACHE_DIR"] == str(layout.cache / "uv")
    assert "PYTHONPATH" not in env
