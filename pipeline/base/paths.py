"""Paths of tables, state and reports, and defaults of environment variables."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import platform
import re
import secrets
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pipeline.base.errors import InputError

RUN_ID_PATTERN = "[A-Za-z0-9][A-Za-z0-9._-]{0,63}"
"""A run id, which names folders and table rows."""

_RUN_ID = re.compile(RUN_ID_PATTERN)
_FILE_SCHEME = re.compile(r"^file:/+")
_LONGEST_NAME = 255
_SQLITE = "sqlite:///"
_PACKAGE = Path(__file__).resolve().parents[1]

KERNELS = "GROUPSCALE_KERNELS"
"""Variable that tells Python workers which kernels to load; sessions set it."""

REMEDY = "choose another folder with --warehouse or GROUPSCALE_WAREHOUSE"


def home() -> Path:
    """Folder of logs, caches and databases: ``GROUPSCALE_HOME``, else the checkout.

    An installed package has no checkout around it: then it is the current folder.
    """
    folder = os.environ.get("GROUPSCALE_HOME")
    if folder:
        return Path(folder).absolute()
    checkout = _PACKAGE.parent
    return checkout if (checkout / "pyproject.toml").is_file() else Path.cwd()


def warehouse() -> Path:
    """Root of the tables: ``GROUPSCALE_WAREHOUSE``, else ``warehouse`` in `home`."""
    folder = os.environ.get("GROUPSCALE_WAREHOUSE")
    return Path(folder) if folder else home() / "warehouse"


def state() -> Path:
    """Folder of logs and databases: ``GROUPSCALE_STATE``, else ``.state`` in `home`."""
    folder = os.environ.get("GROUPSCALE_STATE")
    return Path(folder).absolute() if folder else home() / ".state"


def logs() -> Path:
    """Folder of log files."""
    return state() / "logs"


def numba_cache() -> Path:
    """Folder of compiled kernels, a new one for each version of their source.

    Numba compiles a kernel again when its own file has changed, but not when a function that
    it calls has: old machine code would go on running.
    """
    return _compiled("numba") / _digest("algorithms")


def code_digest() -> str:
    """Digest of the code that measures and simulates, whether or not it is committed."""
    return "-".join(map(_digest, ("algorithms", "live", "pipeline", "schemas")))


def _digest(package: str) -> str:
    folder = _PACKAGE.parent / package
    content = hashlib.blake2b(digest_size=8)
    files = [file for file in folder.rglob("*") if file.suffix in (".py", ".java")]
    for file in sorted(files):
        content.update(f"{file.relative_to(folder)} {file.stat().st_size}\n".encode())
        content.update(file.read_bytes())
    return content.hexdigest()


def jax_cache() -> Path:
    """Folder of compiled trainings, a new one for each kind of processor.

    JAX finds a program by its content and versions, but not by the processor's instructions.
    """
    cpus = Path("/proc/cpuinfo")
    lines = cpus.read_text().splitlines() if cpus.exists() else []
    kinds = {line for line in lines if line.startswith(("model name", "flags", "Features"))}
    kind = hashlib.blake2b("\n".join([platform.machine(), *sorted(kinds)]).encode(), digest_size=8)
    return _compiled("jax") / kind.hexdigest()


def _compiled(compiler: str) -> Path:
    folder = os.environ.get("GROUPSCALE_NUMBA_CACHE")
    return Path(folder) if folder else home() / ".cache" / compiler


def make_cache() -> list[Path]:
    """Make the folder of compiled code; no other user may write it, as reading it runs its content.

    Returns: Folders that were missing, inner ones first; see `drop_empty`.
    Raises InputError if it belongs to another user than this one or root.
    """
    folder = _compiled("numba")
    made = []
    try:
        made = [each for each in (folder, *folder.parents) if not each.exists()]
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        status = folder.stat()
        if status.st_uid == os.geteuid() and status.st_mode & 0o022:
            folder.chmod(status.st_mode & 0o755)
            status = folder.stat()
    except OSError:  # without a cache everything is compiled again
        return made
    if status.st_uid not in (os.geteuid(), 0) or status.st_mode & 0o022:
        raise InputError(
            f"compiled code in {folder} could be another user's (owner {status.st_uid}, mode "
            f"{status.st_mode & 0o777:o}); set `GROUPSCALE_NUMBA_CACHE` to a folder of your own"
        )
    return made


def drop_empty(folders: Iterable[Path]) -> None:
    """Remove folders in which nothing was stored, such as those of a command that only refused."""
    with contextlib.suppress(OSError):  # not empty
        for folder in folders:
            folder.rmdir()


_CACHES: dict[str, Callable[[], str]] = {
    "NUMBA_CACHE_DIR": lambda: str(numba_cache()),
    "JAX_COMPILATION_CACHE_DIR": lambda: str(jax_cache()),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": lambda: "0.2",
}


def caches() -> dict[str, str]:
    """Variables with which Numba and JAX keep what they compile for other processes."""
    return {name: value_of() for name, value_of in _CACHES.items()}


def tracking_uri() -> str:
    """Where MLflow keeps its runs: ``MLFLOW_TRACKING_URI``, else a database in `home`."""
    return os.environ.get("MLFLOW_TRACKING_URI") or default_tracking_uri()


def default_tracking_uri() -> str:
    """Default location of MLflow's runs."""
    return f"{_SQLITE}{state() / 'mlflow' / 'mlflow.db'}"


def set_defaults() -> None:
    """Set the variables for paths and for no telemetry that are not set yet."""
    defaults = {
        "MLFLOW_TRACKING_URI": tracking_uri(),
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "GX_ANALYTICS_ENABLED": "false",
    }
    for name, value in defaults.items():
        os.environ.setdefault(name, value)
    set_caches()


def set_caches() -> None:
    """Set the variables of the caches that are not set yet.

    Each process does so before anything imports Numba, which otherwise takes the folder of its
    cache, a pickle, from a file ``.numba_config.yaml`` in the current folder.
    """
    for name, value_of in _CACHES.items():
        # Not computed if set: the name of Numba's cache is a hash of all files of `algorithms/`.
        if name not in os.environ:
            os.environ[name] = value_of()


def make_tracking_folder() -> None:
    """Make the folder of MLflow's database, if there is one; MLflow does not make it."""
    uri = tracking_uri()
    if uri == default_tracking_uri():
        make_private(Path(uri.removeprefix(_SQLITE)).parent)
    elif uri.startswith(_SQLITE):
        Path(uri.removeprefix(_SQLITE)).parent.mkdir(parents=True, exist_ok=True)


def make_private(folder: Path) -> Path:
    """Make a folder below `state` that only its owner can read, with any umask."""
    return _owned(folder, 0o700)


def make_state(folder: Path | None = None) -> Path:
    """Make a folder, by default `state`, which other users can neither list nor write.

    If root runs the services, the databases below it belong to PostgreSQL's own user, which has to
    pass through. This is the only place that decides its mode.
    """
    return _owned(folder or state(), 0o711 if os.geteuid() == 0 else 0o700)


def _owned(folder: Path, mode: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    # Leave folders that belong to another user, such as PostgreSQL's.
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(mode)
    return folder


def check_run_id(run_id: str) -> str:
    """Return a run id, which names folders and table rows, or raise `InputError`."""
    if not _RUN_ID.fullmatch(run_id):
        raise InputError(
            "`run_id` must be 1 to 64 letters, digits, dots, hyphens or underscores and start "
            f"with a letter or digit (got {run_id!r}); omit it to get a new id"
        )
    return run_id


_TIME = "%Y%m%dT%H%M%SZ"


def new_run_id() -> str:
    """Make a run id that sorts by time, such as ``20260731T214500Z-3fa9c1``."""
    return f"{datetime.now(UTC):{_TIME}}-{secrets.token_hex(3)}"


def run_title(run_id: str) -> str:
    """A run id for legends: the time of one that was made, such as ``2026-07-31 21:45:00``."""
    time, _, random = run_id.rpartition("-")
    try:
        return f"{datetime.strptime(time, _TIME)}" if len(random) == 6 else run_id
    except ValueError:
        return run_id


def in_object_store(place: str) -> bool:
    """Whether a table's location is an address that only Spark can open, not a folder."""
    return "://" in place


@dataclass(frozen=True)
class Paths:
    """Places below one warehouse."""

    warehouse: Path
    """Root of the tables, absolute."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "warehouse", Path(self.warehouse).absolute())

    def table(self, name: str) -> str:
        """Location of a Delta table: below ``GROUPSCALE_TABLES``, else below the warehouse.

        ``GROUPSCALE_TABLES`` may be any place that Spark can write, such as an object store. Locks,
        states of runs and reports are files in the warehouse in either case. A local folder is
        returned as a path, even if the variable gives it as a URL; `in_object_store` tells the two
        apart.
        """
        address = os.environ.get("GROUPSCALE_TABLES", "")
        elsewhere = _FILE_SCHEME.sub("/", address).rstrip("/")
        return f"{elsewhere}/{name}" if elsewhere else str(self.warehouse / name)

    def state(self, run_id: str) -> Path:
        """Folder of a run's lock, configuration and stage timings.

        Raises InputError if the id is not valid: a path from a user must not leave the warehouse.
        """
        return self.warehouse / ".state" / check_run_id(run_id)

    @property
    def tables_lock(self) -> Path:
        """Lock file for creating or changing tables; its name is not a valid run id."""
        return self.warehouse / ".state" / ".tables.lock"

    def report(self, run_id: str) -> Path:
        """The HTML report of a run, in a folder of its own."""
        return self.warehouse / "reports" / check_run_id(run_id) / "report.html"

    def printed(self, run_id: str) -> Path:
        """What a terminal prints of a run; see `pipeline.reporting.sections.stored_sections`."""
        return self.state(run_id) / "printed.json"

    def live(self, run_id: str) -> Path:
        """Folder of a run for what it starts, with evidence and logs; ``live clean`` removes it."""
        return self.state(run_id) / "live"

    def samples(self, run_id: str) -> Path:
        """Folder beside the report for the samples of a live run."""
        return self.report(run_id).with_name("samples")

    def probe(self) -> None:
        """Test by writing whether the warehouse is writable; leaves nothing behind.

        Checking permissions is not enough: root has all of them, even on read-only mounts.

        Raises InputError if it is not writable; the message names the folder and the system's
            reason.
        """
        try:
            place = _nearest(self.warehouse)
            if not place.is_dir():
                raise InputError(
                    f"cannot use the warehouse {str(self.warehouse)!r}: {place} is not a folder; "
                    f"{REMEDY}"
                )
            _try_to_write(place)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise InputError(
                f"cannot write to the warehouse {str(self.warehouse)!r} ({reason}); {REMEDY}"
            ) from error


def _nearest(path: Path) -> Path:
    """The path if it exists (a broken link does: no folder can be made), else one above."""
    for place in (path, *path.parents):
        try:
            place.lstat()
        except (FileNotFoundError, NotADirectoryError):
            # The system reports a name that is too long only if all folders above it exist.
            if len(os.fsencode(place.name)) > _LONGEST_NAME:
                raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG)) from None
        else:
            return place
    raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))


def _try_to_write(folder: Path) -> None:
    """Write a block into a nameless file, so that a full disk shows as well."""
    with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
        file.write(b"\0" * 4096)
