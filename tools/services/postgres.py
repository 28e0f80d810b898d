"""PostgreSQL: location of its programs, the user that runs them, and creation of its cluster.

The administrator of the cluster has no password and there is no socket in the file system, so
logging in as that role is impossible. Roles and databases are created before the server first
listens, in PostgreSQL's single-user mode, which reads SQL from its standard input.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import re
import shutil
import stat
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.base.text.failure_cause import cause
from tools.console import CommandFailed, SetupError, words
from tools.layout import Layout
from tools.services.processes import as_user
from tools.services.service_topology import DATABASES, HOST, POSTGRES_SUPPORTED

DEBIAN = Path("/usr/lib/postgresql")
UNPRIVILEGED = ("postgres", "nobody")
DATA = "GROUPSCALE_POSTGRES_DATA"
LIMIT_SECONDS = 600.0
ADMINISTRATOR, COMPLETE = "groupscale", "groupscale.complete"
OPTIONS = (
    "listen_addresses=" + HOST,
    "unix_socket_directories=",
    "password_encryption=scram-sha-256",
)


def programs(layout: Layout) -> Path:
    """Folder with PostgreSQL's programs: the cluster's version, or the newest for a new cluster.

    Raises SetupError if none has a version that Airflow supports or that can read the cluster; the
        message says what to install.
    """
    folders = _installed()
    made = _version_of(data_folder(layout))
    if made is None:
        usable = [folder for folder, major in folders if major in POSTGRES_SUPPORTED]
    else:
        usable = [folder for folder, major in folders if str(major) == made]
    if usable:
        return usable[0]
    oldest, newest = POSTGRES_SUPPORTED[0], POSTGRES_SUPPORTED[-1]
    if made is None:
        raise SetupError(
            f"PostgreSQL {oldest} to {newest} not found; install it (Debian: package "
            "postgresql), or add the folder of its programs to PATH"
        )
    there = ", ".join(sorted({str(major) for _, major in folders if major})) or "none"
    raise SetupError(
        f"the databases in {data_folder(layout)} need PostgreSQL {made} (installed: {there}); "
        f"install {made} as well, or migrate the databases with pg_dump of {made}"
    )


def _installed() -> list[tuple[Path, int | None]]:
    """Folders with the server's programs and their major versions, in the order to try them."""
    on_path = shutil.which("postgres")
    candidates = [Path(on_path).resolve().parent] if on_path else []
    candidates += sorted(DEBIAN.glob("*/bin"), key=lambda folder: folder.parent.name, reverse=True)
    usable = [folder for folder in candidates if (folder / "initdb").exists()]
    return [(folder, _major(folder / "postgres")) for folder in usable]


def _version_of(folder: Path) -> str | None:
    """Major version of the existing cluster, None if there is none."""
    file = folder / "PG_VERSION"
    return file.read_text().strip() if (folder / COMPLETE).exists() and file.exists() else None


def user() -> str | None:
    """User that the server runs as: the current user, or an unprivileged one if that is root.

    Raises SetupError if the current user is root and there is no unprivileged user.
    """
    if os.geteuid() != 0:
        return None
    users = {entry.pw_name for entry in pwd.getpwall()}
    for name in UNPRIVILEGED:
        if name in users:
            return name
    raise SetupError("PostgreSQL does not run as root, and there is no user postgres or nobody")


def data_folder(layout: Layout) -> Path:
    """Folder of the cluster: ``GROUPSCALE_POSTGRES_DATA``, else below the services' folder.

    If an unprivileged user cannot access that, such as below root's home, it is in /var/lib.
    """
    folder = os.environ.get(DATA)
    if folder:
        return Path(folder).absolute()
    usual = layout.services / "postgres"
    if user() is None or (usual / COMPLETE).exists() or not _closed_to_others(usual.parent):
        return usual
    name = hashlib.sha256(str(layout.state).encode()).hexdigest()[:8]
    return Path("/var/lib") / f"groupscale-{name}"


def make(layout: Layout, secrets: Mapping[str, str], env: Mapping[str, str]) -> None:
    """Create the cluster, roles and databases, if incomplete. Raises SetupError, with the log."""
    folder = data_folder(layout)
    if (folder / COMPLETE).exists():
        _check_passable(folder)
        return
    if folder.exists() and any(folder.iterdir()):
        raise SetupError(
            f"{folder} is not empty and not a PostgreSQL data folder; choose another with {DATA}"
        )
    # It gets its final name when it is complete; an interrupted start is repeated.
    draft = folder.with_name(f"{folder.name}.draft")
    shutil.rmtree(draft, ignore_errors=True)
    try:
        _make_folder(draft)
        _initialise(layout, draft, env)
        _create(layout, draft, secrets, env)
        (draft / COMPLETE).touch()
        draft.replace(folder)
    except (CommandFailed, OSError, subprocess.TimeoutExpired) as error:
        raise SetupError(f"cannot create the databases in {folder}: {error}") from error


def _check_passable(folder: Path) -> None:
    """Raise `SetupError` if the server's user cannot reach its data folder."""
    closed = [] if user() is None else _closed_to_others(folder.parent)
    if closed:
        raise SetupError(
            f"PostgreSQL's user {user()} cannot enter {closed[0]}, which contains {folder}; run "
            f"`chmod o+x {closed[0]}`, or set {DATA} to a folder elsewhere"
        )


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True)
    folder.chmod(0o700)
    owner = user()
    if owner is not None:
        entry = pwd.getpwnam(owner)
        os.chown(folder, entry.pw_uid, entry.pw_gid)


def command(layout: Layout, port: int) -> list[str]:
    """Command line of the server: on the loopback address only, without a socket file."""
    return words(
        programs(layout) / "postgres", "-D", data_folder(layout), *_options(), "-p", str(port)
    )


def _options() -> list[str]:
    return [word for option in OPTIONS for word in ("-c", option)]


def _initialise(layout: Layout, folder: Path, env: Mapping[str, str]) -> None:
    command = words(
        *(programs(layout) / "initdb", "-D", folder, "-U", ADMINISTRATOR),
        *("--auth-host=scram-sha-256", "--auth-local=reject"),
        *("--encoding=UTF8", "--locale=C.UTF-8", "--data-checksums", "--no-instructions"),
    )
    _run(layout, command, env, folder)


def _create(
    layout: Layout, folder: Path, secrets: Mapping[str, str], env: Mapping[str, str]
) -> None:
    """Create roles and databases; passwords are only passed through standard input."""
    command = words(programs(layout) / "postgres", "--single", "-D", folder, *_options())
    # A statement that fails would be shown, with its password.
    options = words("-c", "exit_on_error=true", "-c", "log_min_error_statement=panic", "postgres")
    _run(layout, [*command, *options], env, folder, "\n".join(_statements(secrets)) + "\n")


def _run(
    layout: Layout, command: Sequence[str], env: Mapping[str, str], folder: Path, text: str = ""
) -> None:
    """Run a program as the server's user; its output goes to a log."""
    done = subprocess.run(
        command,
        input=text,
        env=env,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_SECONDS,
        **as_user(user()),
    )
    log = layout.logs / "setup-postgres.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("a") as output:
        output.write(f"$ {' '.join(command)}\n{done.stdout}")
    if done.returncode != 0:
        raise CommandFailed(cause(done.stdout) or f"exit status {done.returncode}", log)


def _statements(secrets: Mapping[str, str]) -> list[str]:
    """SQL, one statement per line; the passwords are letters, digits and ``-_=``."""
    made = ["REVOKE ALL ON DATABASE postgres FROM PUBLIC;"]
    for name in DATABASES:
        made += [
            f"CREATE ROLE {name} LOGIN PASSWORD '{secrets[f'postgres-{name}']}';",
            f"CREATE DATABASE {name} OWNER {name};",
            f"REVOKE ALL ON DATABASE {name} FROM PUBLIC;",
        ]
    return made


def _major(program: Path) -> int | None:
    try:
        said = subprocess.run(
            words(program, "--version"), capture_output=True, text=True, timeout=60
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.search(r"\) (\d+)", said)
    return int(match[1]) if match else None


def _closed_to_others(folder: Path) -> list[Path]:
    """Folders on the path that not every user can enter; those that do not exist yet allow it."""
    existing = [place for place in (*reversed(folder.parents), folder) if place.exists()]
    return [place for place in existing if not place.stat().st_mode & stat.S_IXOTH]
