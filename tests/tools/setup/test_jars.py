"""JARs appear when they are the right ones, all at once or not at all."""

import hashlib
import re

import pytest

from tools.console import SetupError
from tools.setup import jars

pytestmark = pytest.mark.unit

# A resolver that writes the same file for each package into the given folder.
RESOLVER = """\
while [ "$1" != --packages ]; do shift; done
packages=$2
for argument; do case $argument in spark.jars.ivy=*) ivy=${{argument#*=}};; esac; done
mkdir -p "$ivy/jars"
printf '%s' "$packages" | tr ',' '\\n' | while read -r package || [ -n "$package" ]; do
    name=$(printf '%s' "$package" | awk -F: '{{ print $1 "_" $2 "-" $3 ".jar" }}')
    printf '%s' '{content}' > "$ivy/jars/$name"
done"""


@pytest.fixture
def resolver(layout, program):
    """Function that installs a resolver which delivers ``content``; hashes match "right"."""
    digest = hashlib.sha256(b"right").hexdigest()
    lock = layout.requirements / "jars.txt"
    lock.write_text(re.sub(r"sha256:\w+", f"sha256:{digest}", lock.read_text()))

    def install(content):
        program(layout.venv / "bin" / "spark-submit", RESOLVER.format(content=content))

    return install


def test_the_python_package_and_the_jars_have_one_version(layout):
    lines = (layout.requirements / "requirements.in").read_text().splitlines()
    (version,) = [line.split("==")[1] for line in lines if line.startswith("delta-spark==")]
    assert {jar.coordinates.split(":")[2] for jar in jars.pinned(layout)} == {version}


def test_names_follow_from_coordinates():
    assert jars.Jar("io.delta:delta-storage:4.4.0", "").file_name == "delta-storage-4.4.0.jar"


def test_they_are_fetched_once(layout, resolver):
    resolver("right")
    jars.ensure(layout, {"PATH": "/usr/bin:/bin"})
    assert jars.is_ready(layout)
    assert {file.read_text() for file in layout.jars.iterdir()} == {"right"}
    assert list(layout.cache.iterdir()) == [layout.jars]
    resolver("another, which nobody asks for any more")
    jars.ensure(layout, {"PATH": "/usr/bin:/bin"})
    assert {file.read_text() for file in layout.jars.iterdir()} == {"right"}


def test_jars_of_another_version_are_replaced(layout, resolver):
    layout.jars.mkdir()
    (layout.jars / "delta-storage-1.0.0.jar").touch()
    assert not jars.is_ready(layout)
    resolver("right")
    jars.ensure(layout, {"PATH": "/usr/bin:/bin"})
    assert jars.is_ready(layout)


def test_wrong_bytes_are_refused_by_name_and_nothing_is_kept(layout, resolver):
    resolver("wrong")
    with pytest.raises(SetupError, match=r"delta-spark_4\.1_2\.13:.* sha256 .*jars\.txt"):
        jars.ensure(layout, {"PATH": "/usr/bin:/bin"})
    assert list(layout.cache.iterdir()) == []


def test_a_resolver_that_fails_is_one_line(layout, program):
    program(layout.venv / "bin" / "spark-submit", "echo 'ERROR: no route to host'; exit 1")
    with pytest.raises(SetupError, match="no route to host") as caught:
        jars.ensure(layout, {"PATH": "/usr/bin:/bin"})
    assert "\n" not in str(caught.value)
    assert list(layout.cache.iterdir()) == []


def test_a_resolver_that_brings_nothing_is_named(layout, program):
    program(layout.venv / "bin" / "spark-submit", "exit 0")
    with pytest.raises(SetupError, match=r"did not download io\.delta:delta-spark"):
        jars.ensure(layout, {"PATH": "/usr/bin:/bin"})
