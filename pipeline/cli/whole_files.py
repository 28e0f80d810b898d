"""Files that are written completely or not at all, into a folder that a user names."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pipeline.base.errors import InputError, StageError

_PREFIX = ".groupscale-"


def check_folder(folder: Path, names: Collection[str], force: bool) -> None:
    """Raise `InputError` unless files can be written into a folder, which may not exist yet.

    folder: The folder; the one above it must exist.
    names: Names of all files that may be written.
    force: Whether files of these names may be replaced.
    """
    if folder.exists() and not folder.is_dir():
        raise InputError(f"`--output` must be a folder ({folder} is a file)")
    place = folder if folder.is_dir() else folder.parent
    if not place.is_dir():
        raise InputError(f"`--output {folder}`: the folder {place} does not exist; create it first")
    present = sorted(name for name in names if (folder / name).exists())
    if present and not force:
        raise InputError(
            f"`--output {folder}` already has {', '.join(present)}; choose another folder, or "
            "replace them with --force"
        )
    try:
        # Permissions are not enough: root has them on read-only disks too.
        with tempfile.TemporaryFile(dir=place):
            pass
    except OSError as error:
        raise InputError(f"cannot write to {place} ({error.strerror})") from error


@contextmanager
def written(file: Path, force: bool) -> Iterator[Path]:
    """Give a place to write a file to, which becomes the file if the body succeeds.

    file: The file; its folder must exist.
    Raises InputError if it exists already, or its folder does not or cannot be written to.
    Raises StageError if the disk is full or the file cannot be written.
    """
    if file.is_dir() or not file.parent.is_dir():
        problem = "is a folder" if file.is_dir() else f"the folder {file.parent} does not exist"
        raise InputError(f"`--output {file}`: {problem}; name a file in a folder that exists")
    if file.exists() and not force:
        raise InputError(
            f"`--output {file}` exists; choose another file, or replace it with --force"
        )
    try:
        place = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=file.parent))
    except OSError as error:
        raise InputError(f"cannot write to {file.parent} ({error.strerror})") from error
    try:
        yield place / file.name
        with (place / file.name).open("rb") as complete:
            os.fsync(complete.fileno())
        (place / file.name).replace(file)
    except OSError as error:
        raise StageError(f"cannot write {file} ({error.strerror})") from error
    finally:
        shutil.rmtree(place, ignore_errors=True)


def write_all(folder: Path, texts: Mapping[str, str], names: Collection[str]) -> None:
    """Write files, each of them complete or not at all.

    folder: As in `check_folder`. A new one appears with all its files.
    names: Names of files that are removed unless they are written.
    Raises StageError if the disk is full or a file cannot be written; nothing has changed then,
        except that an existing folder may have some of the new files.
    """
    is_new = not folder.is_dir()
    stage: Path | None = None
    try:
        stage = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=folder.parent if is_new else folder))
        for name, text in texts.items():
            _write(stage / name, text)
        if is_new:
            stage.chmod(0o777 & ~_umask())
            stage.rename(folder)
        else:
            _replace(stage, folder, texts, names)
    except OSError as error:
        raise StageError(f"cannot write to {folder} ({error.strerror})") from error
    finally:
        if stage is not None:
            shutil.rmtree(stage, ignore_errors=True)


def _write(file: Path, text: str) -> None:
    with file.open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())


def _replace(stage: Path, folder: Path, texts: Mapping[str, str], names: Collection[str]) -> None:
    for name in texts:
        (stage / name).replace(folder / name)
    for name in names:
        if name not in texts:
            (folder / name).unlink(missing_ok=True)


def _umask() -> int:
    before = os.umask(0o022)
    os.umask(before)
    return before
